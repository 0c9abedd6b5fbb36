/** API Gateway's proxy integration, in front of an application of web requests: answers as a whole, or as a stream. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Bindings, Peer } from '../api/http/context.ts';

interface Application {
  fetch(request: Request, bindings: Bindings): Response | Promise<Response>;
}

type BufferedHandler = (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;

/** Bodies of these types are UTF-8 text and travel as such, unless they are compressed; all others as base64. */
const TEXT = /^text\/|[/+](json|xml|javascript)\b/i;

export const buffered =
  (application: Application): BufferedHandler =>
  async (event) =>
    toResult(await application.fetch(uncompressed(toRequest(event)), { peer: peerOf(event) }));

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

// Answers as a stream, where the runtime offers that.

/** What Lambda's own Node.js runtime adds to the global scope. */
export interface StreamingRuntime {
  streamifyResponse(
    handler: (event: APIGatewayProxyEvent, stream: Writable) => Promise<void>,
  ): (...args: never[]) => unknown;
  HttpResponseStream: {
    from(stream: Writable, head: { statusCode: number; headers: Record<string, string> }): Writable;
  };
}

/** Streams with the runtime that is there, else answers as a whole. */
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
 * Where the body breaks off, the error is passed on and the stream is not ended: the runtime then marks the answer as
 * broken, and no client takes a part of a file for the whole.
 */
async function pour(response: Response, out: Writable): Promise<void> {
  // The head is sent with the first write, even where there is no body.
  out.write('');
  for await (const chunk of response.body ?? []) {
    if (!out.write(chunk)) await once(out, 'drain');
  }
  out.end();
}

/** Behind CloudFront, whose own address stands last, the client is the one before: what a client sends itself stands farther left. */
function peerOf({ headers, requestContext }: APIGatewayProxyEvent): Peer {
  const [, named] = (headers?.['X-Forwarded-For'] ?? '').split(',').reverse();
  return { address: named?.trim() || (requestContext?.identity?.sourceIp ?? ''), hasShownKey: () => undefined };
}

// API Gateway's event as a web request, byte for byte, whatever a client put into it.

/** The client's own address of the service is not known here, and nothing asks for it. */
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

/** The length is that of the bytes that are here: what was sent may have been encoded otherwise on its way. */
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

/** As `node:http` gives them: bytes as Latin-1. A header that HTTP does not allow is left out. */
function append(headers: Headers, name: string, value: string): void {
  try {
    headers.append(name, Buffer.from(value, 'utf8').toString('latin1'));
  } catch {
    // It cannot have come over HTTP.
  }
}
