import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Bindings, Peer } from '../api/http/context.ts';

interface Application {
  fetch(request: Request, bindings: Bindings): Response | Promise<Response>;
}

type BufferedHandler = (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;

/** Sent as text unless compressed; other types as base64. */
const TEXT = /^text\/|[/+](json|xml|javascript)\b/i;

/** Adapts an application of web requests to API Gateway's proxy events. */
export const buffered =
  (application: Application): BufferedHandler =>
  async (event) =>
    toResult(await application.fetch(uncompressed(toRequest(event)), { peer: peerOf(event) }));

/** The gateway compresses whole answers itself, and might take compressed text for text. */
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

export interface StreamingRuntime {
  streamifyResponse(
    handler: (event: APIGatewayProxyEvent, stream: Writable) => Promise<void>,
  ): (...args: never[]) => unknown;
  HttpResponseStream: {
    from(stream: Writable, head: { statusCode: number; headers: Record<string, string> }): Writable;
  };
}

/** Answers as a whole without that runtime. */
export const streamed = (
  application: Application,
  runtime: StreamingRuntime | undefined,
): BufferedHandler | ReturnType<StreamingRuntime['streamifyResponse']> =>
  runtime === undefined
    ? buffered(application)
    : runtime.streamifyResponse(async (event, stream) => {
        const response = await application.fetch(toRequest(event), { peer: peerOf(event) });
        const headers = Object.fromEntries(response.headers);
        await pour(response, runtime.HttpResponseStream.from(stream, { statusCode: response.status, headers }));
      });

/**
 * If the body fails, rethrows without ending the stream: the runtime marks the answer as broken, so no client takes it
 * for complete.
 */
async function pour(response: Response, out: Writable): Promise<void> {
  // The first write sends the head, even without a body.
  out.write('');
  for await (const chunk of response.body ?? []) {
    if (!out.write(chunk)) await once(out, 'drain');
  }
  out.end();
}

/** CloudFront's address is last, so the client is the one before; clients can only forge entries farther left. */
function peerOf({ headers, requestContext }: APIGatewayProxyEvent): Peer {
  const [, named] = (headers?.['X-Forwarded-For'] ?? '').split(',').reverse();
  return { address: named?.trim() || (requestContext?.identity?.sourceIp ?? ''), hasShownKey: () => undefined };
}

// Converts byte for byte.

const BASE = 'https://service.invalid';

export function toRequest(event: APIGatewayProxyEvent): Request {
  const url = new URL(BASE);
  url.pathname = event.path;
  for (const [name, values] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    for (const value of values ?? []) url.searchParams.append(name, value);
  }
  const method = event.httpMethod;
  const body = method === 'GET' || method === 'HEAD' ? undefined : bodyOf(event);
  return new Request(url, { method, headers: headersOf(event, body), ...(body && { body }) });
}

function bodyOf({ body, isBase64Encoded }: APIGatewayProxyEvent): Uint8Array<ArrayBuffer> | undefined {
  if (body === null || body === '') return undefined;
  return new Uint8Array(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'));
}

/** Uses the length of the actual bytes, since transport may re-encode them. */
function headersOf(event: APIGatewayProxyEvent, body: Uint8Array | undefined): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(event.multiValueHeaders ?? {})) {
    for (const value of values ?? []) append(headers, name, value);
  }
  headers.delete('content-length');
  headers.delete('transfer-encoding');
  if (body) headers.set('content-length', String(body.byteLength));
  return headers;
}

/** Bytes as Latin-1, like `node:http`. Skips invalid headers. */
function append(headers: Headers, name: string, value: string): void {
  try {
    headers.append(name, Buffer.from(value, 'utf8').toString('latin1'));
  } catch {
    // Cannot have come over HTTP.
  }
}
