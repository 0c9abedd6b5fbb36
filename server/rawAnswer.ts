/** Answers to what never became a request: written on the socket itself. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { failed } from '../api/http/envelope.ts';
import { type ErrorCode, HTTP_STATUS } from '../domain/errors.ts';
import type { Log } from '../domain/ports.ts';

/** How long a client that is still sending may read its answer before the connection is cut. */
const LINGER_MS = 2000;

const MALFORMED: Record<string, [code: ErrorCode, message: string]> = {
  HPE_HEADER_OVERFLOW: [
    'headers_too_large',
    'The headers are larger than 64 KB together, or more than 1,000. Send fewer or shorter ones.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time. Send it again.'],
};

const NOT_HTTP: [ErrorCode, string] = ['invalid_request', 'The request is not well-formed HTTP/1.1.'];

/** For the server's event `clientError`. */
export function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex, log: Log): void {
  // Where the client has gone there is nobody to answer.
  if (error.code === 'ECONNRESET') return void socket.destroy();
  const [code, message] = MALFORMED[error.code ?? ''] ?? NOT_HTTP;
  log.info('request_malformed', { code, cause: error.code ?? null });
  answerRaw(socket, HTTP_STATUS[code], code, message);
}

export function answerRaw(
  socket: Duplex,
  status: number,
  code: ErrorCode,
  message: string,
  headers: Record<string, string> = {},
): void {
  socket.on('error', () => socket.destroy());
  if (!socket.writable || socket.destroyed) return void socket.destroy();
  const body = JSON.stringify(failed(code, message));
  const all = {
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': randomUUID(),
    Connection: 'close',
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('\r\n')}\r\n\r\n${body}`);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
