/** An event as API Gateway's proxy integration sends it. */
import type { APIGatewayProxyEvent } from 'aws-lambda';

export type EventParts = Partial<
  Pick<
    APIGatewayProxyEvent,
    'body' | 'httpMethod' | 'isBase64Encoded' | 'multiValueHeaders' | 'multiValueQueryStringParameters' | 'path'
  >
>;

const CONTEXT: APIGatewayProxyEvent['requestContext'] = {
  accountId: '123456789012',
  apiId: 'api',
  authorizer: null,
  protocol: 'HTTP/1.1',
  httpMethod: 'GET',
  identity: {
    accessKey: null,
    accountId: null,
    apiKey: null,
    apiKeyId: null,
    caller: null,
    clientCert: null,
    cognitoAuthenticationProvider: null,
    cognitoAuthenticationType: null,
    cognitoIdentityId: null,
    cognitoIdentityPoolId: null,
    principalOrgId: null,
    sourceIp: '192.0.2.1',
    user: null,
    userAgent: null,
    userArn: null,
  },
  path: '/',
  stage: 'test',
  requestId: 'request',
  requestTimeEpoch: 0,
  resourceId: 'resource',
  resourcePath: '/',
};

export const eventOf = (parts: EventParts = {}): APIGatewayProxyEvent => ({
  body: null,
  headers: {},
  multiValueHeaders: {},
  httpMethod: 'GET',
  isBase64Encoded: false,
  path: '/',
  pathParameters: null,
  queryStringParameters: null,
  multiValueQueryStringParameters: null,
  stageVariables: null,
  requestContext: CONTEXT,
  resource: '/',
  ...parts,
});

export const jsonEvent = (path: string, body: unknown, key: string): APIGatewayProxyEvent =>
  eventOf({
    path,
    httpMethod: 'POST',
    body: JSON.stringify(body),
    multiValueHeaders: { 'X-API-Key': [key], 'Content-Type': ['application/json'] },
  });

/** A file of a table, as a client's form sends it. */
export async function uploadEvent(table: string, key: string): Promise<APIGatewayProxyEvent> {
  const form = new FormData();
  form.append('file', new File([table], 'table.csv'));
  const request = new Request('http://service.invalid', { method: 'POST', body: form });
  return eventOf({
    path: '/upload',
    httpMethod: 'POST',
    body: Buffer.from(await request.arrayBuffer()).toString('base64'),
    isBase64Encoded: true,
    multiValueHeaders: { 'X-API-Key': [key], 'Content-Type': [request.headers.get('content-type') ?? ''] },
  });
}
