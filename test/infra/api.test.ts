import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ROUTES } from '../../api/app.ts';
import { HTTP_STATUS } from '../../api/http/refused.ts';
import { LAMBDA_UPLOAD_BYTES } from '../../infra/api.ts';
import { at, flat, OTHERWISE, ofType, synthesise, type Template, theOnly } from './support/synthesise.ts';

const { template } = synthesise();

interface Method {
  path: string;
  method: unknown;
  /** The function's name, which its description begins with. */
  fn: string;
  uri: string;
  properties: unknown;
}

function pathOf(resourceId: unknown, { Resources }: Template): string {
  const id = String(at(resourceId, 'Ref') ?? '');
  const resource = Resources[id];
  if (resource?.Type !== 'AWS::ApiGateway::Resource') return '';
  return `${pathOf(resource.Properties.ParentId, template)}/${resource.Properties.PathPart}`;
}

const methods: Method[] = ofType(template, 'AWS::ApiGateway::Method').map(([, { Properties }]) => {
  const uri = flat(at(Properties, 'Integration', 'Uri'));
  const description = template.Resources[/<(\w+)\.Arn>/.exec(uri)?.[1] ?? '']?.Properties.Description;
  return {
    path: pathOf(Properties.ResourceId, template) || '/',
    method: Properties.HttpMethod,
    fn: /^(\w+): /.exec(String(description))?.[1] ?? '',
    uri,
    properties: Properties,
  };
});

/** Which function answers each of the application's addresses. */
const FUNCTION_OF: Record<string, string> = {
  '/': 'pages',
  '/examples/appointments.csv': 'pages',
  '/health': 'health',
  '/upload': 'upload',
  '/detect_family': 'detectFamily',
  '/estimate': 'estimate',
  '/callback-secret': 'callbackSecret',
  '/sample/:job_id': 'sample',
  '/generate': 'generate',
  '/compare': 'compare',
  '/compare/estimate': 'estimate',
  '/status/:job_id': 'status',
  '/events/:job_id': 'events',
  '/download/:job_id': 'download',
  '/report/:job_id.json': 'report',
  '/report/:job_id': 'report',
  '/receipt/:job_id': 'receipt',
  '/receipt-key': 'receipt',
  '/jobs/:job_id/release': 'releaseJob',
  '/jobs': 'listJobs',
  '/jobs/:job_id': 'eraseJob',
  '/jobs/:job_id/cancel': 'cancelJob',
  '/jobs/:job_id/repeat': 'repeatJob',
  '/jobs/:job_id/columns': 'columns',
  '/docs': 'describe',
  '/api-docs': 'pages',
  '/mcp': 'mcp',
  '/mcp/download': 'pages',
};

describe('API', () => {
  it('sends every address of the application to its function, and any other to the one that says so', () => {
    const routed = (path: string) =>
      methods.find((method) => method.path === path.replace(/:(\w+)(\.json)?/g, '{$1}')) ??
      methods.find(({ path }) => path === '/{proxy+}');
    const paths = [...new Set(ROUTES.map(({ path }) => path))];
    expect(Object.fromEntries(paths.map((path) => [path, routed(path)?.fn]))).toEqual(FUNCTION_OF);
    expect(routed('/nothing/here')?.fn).toBe('pages');
  });

  it('leaves every method to the application, which answers a wrong one in the envelope', () => {
    expect([...new Set(methods.map(({ method }) => method))]).toEqual(['ANY']);
  });

  it('streams downloads, events and what assistants follow, and nothing else', () => {
    const streaming = methods.filter(
      ({ properties }) => at(properties, 'Integration', 'ResponseTransferMode') === 'STREAM',
    );
    expect(streaming.map(({ path }) => path).sort()).toEqual(['/download/{job_id}', '/events/{job_id}', '/mcp']);
    expect(streaming[0]?.uri).toMatch(/\/2021-11-15\/functions\/.*\/response-streaming-invocations$/);
  });

  it('takes bodies of every type byte for byte', () => {
    expect(theOnly(template, 'AWS::ApiGateway::RestApi').Properties.BinaryMediaTypes).toContain('*/*');
  });

  it('throttles, logs requests without headers or bodies, and traces no data', () => {
    const { Properties } = theOnly(template, 'AWS::ApiGateway::Stage');
    expect(at(Properties, 'MethodSettings', 0)).toMatchObject({
      DataTraceEnabled: false,
      LoggingLevel: 'ERROR',
      ThrottlingRateLimit: 100,
      ThrottlingBurstLimit: 200,
    });
    const format = String(at(Properties, 'AccessLogSetting', 'Format'));
    expect(Object.keys(JSON.parse(format))).toEqual([
      'time',
      'request_id',
      'ip',
      'method',
      'route',
      'status',
      'bytes',
      'ms',
      'error',
    ]);
    expect(format).not.toMatch(/\$context\.(path|identity\.apiKey|authorizer|requestOverride)/);
  });
});

const answerSchema = z.object({
  success: z.literal(false),
  data: z.null(),
  error: z.strictObject({ code: z.enum(Object.keys(HTTP_STATUS)), message: z.string().min(20) }),
});

/** API Gateway's own answers by their type. */
const answers = (from: Template) =>
  new Map(
    ofType(from, 'AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => {
      const { error } = answerSchema.parse(JSON.parse(String(at(Properties, 'ResponseTemplates', 'application/json'))));
      const headers = Object(Properties.ResponseParameters);
      return [String(Properties.ResponseType), { status: Properties.StatusCode, ...error, headers }];
    }),
  );

describe("API Gateway's own answers", () => {
  it('wear the envelope, with a code of the service, and bear a request id', () => {
    const all = answers(template);
    expect(all.size).toBe(14);
    for (const { headers } of all.values()) {
      expect(headers['gatewayresponse.header.X-Request-Id']).toBe('context.requestId');
    }
  });

  it.each([
    ['ACCESS_DENIED', '403', 'unauthorized'],
    ['MISSING_AUTHENTICATION_TOKEN', '404', 'not_found'],
    ['REQUEST_TOO_LARGE', '413', 'request_too_large'],
    ['THROTTLED', '429', 'service_busy'],
    ['INTEGRATION_FAILURE', '502', 'internal_error'],
    ['INTEGRATION_TIMEOUT', '504', 'service_busy'],
    ['DEFAULT_4XX', undefined, 'invalid_request'],
    ['DEFAULT_5XX', undefined, 'internal_error'],
  ])('%s is answered %s %s', (type, status, code) => {
    expect(answers(template).get(type)).toMatchObject({ status, code });
  });

  it('say when to come again', () => {
    const retry = (type: string) => answers(template).get(type)?.headers['gatewayresponse.header.Retry-After'];
    expect(['THROTTLED', 'INTEGRATION_TIMEOUT', 'ACCESS_DENIED'].map(retry)).toEqual(["'2'", "'5'", undefined]);
  });

  it('name the smaller limit where uploads come this way', () => {
    const small = answers(synthesise(OTHERWISE).template).get('REQUEST_TOO_LARGE');
    expect(small).toMatchObject({ status: '413', code: 'file_too_large' });
    expect(small?.message).toContain(`${LAMBDA_UPLOAD_BYTES} bytes`);
  });

  it('can be read by the one origin that may, and by no other', () => {
    const header = 'gatewayresponse.header.Access-Control-Allow-Origin';
    expect(answers(template).get('THROTTLED')?.headers[header]).toBeUndefined();
    expect(answers(synthesise(OTHERWISE).template).get('THROTTLED')?.headers[header]).toBe("'https://example.org'");
  });

  it('contain nothing that API Gateway would take for its template language', () => {
    for (const { message } of answers(template).values()) expect(message).not.toMatch(/[$#\\]/);
  });
});

describe('an upload by Lambda', () => {
  it('of the most bytes that are taken fits into an invocation, with room for the headers', () => {
    const INVOCATION_BYTES = 6_291_456;
    const MULTIPART_BYTES = 2_000;
    const HEADER_BYTES = 10_240;
    const event = Math.ceil(((LAMBDA_UPLOAD_BYTES + MULTIPART_BYTES) * 4) / 3) + 3 * HEADER_BYTES;
    expect(event).toBeLessThan(INVOCATION_BYTES);
    const names = ofType(template, 'AWS::Lambda::Function').map(([, { Properties }]) =>
      at(Properties, 'Environment', 'Variables', 'MAX_UPLOAD_BYTES'),
    );
    expect(new Set(names)).toEqual(new Set([String(LAMBDA_UPLOAD_BYTES)]));
  });
});
