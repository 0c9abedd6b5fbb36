/** Answers as a whole: the application behind API Gateway's proxy integration. */
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { toRequest } from './toRequest.ts';

export interface Application {
  fetch(request: Request): Response | Promise<Response>;
}

export type BufferedHandler = (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;

/** Bodies of these types are UTF-8 text and travel as such, unless they are compressed; all others as base64. */
const TEXT = /^text\/|[/+](json|xml|javascript)\b/i;

export const buffered =
  (application: Application): BufferedHandler =>
  async (event) =>
    toResult(await application.fetch(uncompressed(toRequest(event))));

/** What is answered as a whole is left to the gateway to compress: it may take compressed text for text. */
function uncompressed(request: Request): Request {
  request.headers.delete('accept-encoding');
  return request;
}

async function toResult(response: Response): Promise<APIGatewayProxyResult> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const isEncoded = response.headers.has('content-encoding');
  const isText = bytes.length === 0 || (!isEncoded && TEXT.test(response.headers.get('content-type') ?? ''));
  return {
    statusCode: response.status,
    multiValueHeaders: multiValued(response.headers),
    body: bytes.toString(isText ? 'utf8' : 'base64'),
    isBase64Encoded: !isText,
  };
}

function multiValued(headers: Headers): Record<string, string[]> {
  const all: Record<string, string[]> = {};
  for (const [name, value] of headers) all[name] = [...(all[name] ?? []), value];
  return all;
}
