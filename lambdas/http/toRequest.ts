/** API Gateway's event as a web request, byte for byte, whatever a client put into it. */
import type { APIGatewayProxyEvent } from 'aws-lambda';

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
