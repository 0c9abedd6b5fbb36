/** The application on `node:http`. Whatever the client sends, the answer is in the envelope. */
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener, RequestError } from '@hono/node-server';
import { failed } from '../api/http/envelope.ts';
import { describeFault } from '../domain/describeFault.ts';
import { HTTP_STATUS } from '../domain/errors.ts';
import type { Log } from '../domain/ports.ts';
import { answerMalformed, answerRaw } from './rawAnswer.ts';

/** Headers of a request, all together. */
const MAX_HEADER_BYTES = 65_536;
const HEADERS_TIMEOUT_MS = 60_000;
/** A whole request: 50 MB at 1 Mbit/s take seven minutes. */
const REQUEST_TIMEOUT_MS = 600_000;
/**
 * An idle connection: longer than clients and the load balancer (180 s) keep theirs, so that they are the ones to close. The other
 * way round, a request can be on its way while the server closes, and is lost.
 */
const KEEP_ALIVE_TIMEOUT_MS = 200_000;

export interface FetchHandler {
  fetch(request: Request): Response | Promise<Response>;
}

export function createHttpServer(app: FetchHandler, log: Log): Server {
  const listener = getRequestListener((request) => app.fetch(request), {
    hostname: 'localhost',
    overrideGlobalObjects: false,
    // The application itself decides how long it reads a body that it does not want.
    autoCleanupIncoming: false,
    errorHandler: (error) => answerUnserved(error, log),
  });
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      requireHostHeader: false,
    },
    (incoming, outgoing) => void listener(incoming, outgoing),
  );
  server.on('clientError', (error, socket) => answerMalformed(error, socket, log));
  server.on('checkExpectation', (incoming, outgoing) => server.emit('request', incoming, outgoing));
  server.on('connect', (_request, socket: Duplex) =>
    answerRaw(socket, 405, 'method_not_allowed', 'CONNECT is not possible: this is not a proxy.', {
      Allow: 'GET, POST',
    }),
  );
  return server;
}

/** For requests that the application never saw, because their address is none, and for what it could not answer. */
function answerUnserved(error: unknown, log: Log): Response {
  const id = randomUUID();
  const malformed = error instanceof RequestError;
  const code = malformed ? 'invalid_request' : 'internal_error';
  const message = malformed
    ? 'The address or the Host header of the request is malformed.'
    : `Something went wrong in the service, not in your request. Try again; if it persists, tell the operator the request id ${id}.`;
  log.error('request_unserved', { request_id: id, code, ...describeFault(error) });
  return Response.json(failed(code, message), { status: HTTP_STATUS[code], headers: { 'X-Request-Id': id } });
}
