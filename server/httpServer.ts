import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Bindings, Peer } from '../api/http/context.ts';
import { failed, HTTP_STATUS, headersOf } from '../api/http/refused.ts';
import { ServiceError } from '../packages/contract/errors.ts';
import type { Case } from '../packages/contract/problems.ts';
import type { RefusalReason } from '../packages/contract/reasons.ts';
import { describeFault } from '../service/job/failures.ts';
import type { Log } from '../service/ports.ts';
import { boundConnections, type ConnectionLimits, DEFAULT_CONNECTIONS } from './connections.ts';

const MAX_HEADER_BYTES = 65_536;
const HEADERS_TIMEOUT_MS = 15_000;
const CHECK_MS = 2000;
/** 50 MB take seven minutes at 1 Mbit/s. */
const REQUEST_TIMEOUT_MS = 600_000;
/**
 * Longer than clients and load balancer (180 s) keep idle connections, so that they close first; otherwise a request
 * may be lost in flight.
 */
const KEEP_ALIVE_TIMEOUT_MS = 200_000;

export interface FetchHandler {
  fetch(request: Request, bindings: Bindings): Response | Promise<Response>;
}

export function createHttpServer(app: FetchHandler, log: Log, limits: ConnectionLimits = DEFAULT_CONNECTIONS): Server {
  const peerOf = ({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): Peer => ({
    address: connections.senderOf(socket, headers),
    hasShownKey: () => connections.hasShownKey(socket),
  });
  const listener = getRequestListener((request, { incoming }) => app.fetch(request, { peer: peerOf(incoming) }), {
    hostname: 'localhost',
    overrideGlobalObjects: false,
    // The application decides how much unwanted body to read.
    autoCleanupIncoming: false,
    errorHandler: (error) => answerUnserved(error, log),
  });
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      requireHostHeader: false,
    },
    (incoming, outgoing) => void listener(incoming, outgoing),
  );
  const connections = boundConnections(server, limits);
  server.on('clientError', (error, socket) => answerMalformed(error, socket, log));
  server.on('checkExpectation', (incoming, outgoing) => server.emit('request', incoming, outgoing));
  server.on('connect', (_request, socket: Duplex) =>
    answerRaw(socket, new ServiceError({ reason: 'connect_not_possible', allowed: ['GET', 'POST'] })),
  );
  return server;
}

function answerUnserved(error: unknown, log: Log): Response {
  const id = randomUUID();
  const refusal = new ServiceError(
    error instanceof RequestError ? { reason: 'address_malformed' } : { reason: 'unforeseen', request_id: id },
  );
  log.error('request_unserved', { request_id: id, code: refusal.code, ...describeFault(error) });
  return Response.json(failed(refusal), { status: HTTP_STATUS[refusal.code], headers: { 'X-Request-Id': id } });
}

/** Time for a sending client to read its answer. */
const LINGER_MS = 2000;

const MALFORMED: Record<string, Case<RefusalReason>> = {
  HPE_HEADER_OVERFLOW: { reason: 'headers_too_large' },
  ERR_HTTP_REQUEST_TIMEOUT: { reason: 'request_timeout' },
};

function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex, log: Log): void {
  // The client has gone.
  if (error.code === 'ECONNRESET') return void socket.destroy();
  const refusal = new ServiceError(MALFORMED[error.code ?? ''] ?? { reason: 'request_malformed' });
  log.info('request_malformed', { code: refusal.code, cause: error.code ?? null });
  answerRaw(socket, refusal);
}

function answerRaw(socket: Duplex, refusal: ServiceError): void {
  const status = HTTP_STATUS[refusal.code];
  socket.on('error', () => socket.destroy());
  if (!socket.writable || socket.destroyed) return void socket.destroy();
  const body = JSON.stringify(failed(refusal));
  const all = {
    ...headersOf(refusal),
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

const GRACE_MS = 10_000;

/** Waiting connections; clients retry rejected ones after a second. The system may allow fewer. */
const BACKLOG = 4096;

/** Rejects if the address cannot be bound. */
export async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen({ port, host, backlog: BACKLOG });
  await once(server, 'listening');
}

/** Contains the actual port if 0 was given. */
export function urlOf(server: Server, host: string): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  const name = host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${address.port}`;
}

export async function closeGracefully(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await closed;
  clearTimeout(timer);
}

// Stops in order on the first signal, at once on a later one.

/** Ctrl-C arrives twice: from the terminal and from the starting script. */
const SAME_SIGNAL_MS = 1000;

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

export function stopOnSignal(log: Log, stop: () => Promise<void>): void {
  let stoppingSince: number | undefined;
  const onSignal = async (signal: string) => {
    const now = performance.now();
    if (stoppingSince !== undefined) {
      if (now - stoppingSince > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    stoppingSince = now;
    log.info('stopping', { signal });
    try {
      await stop();
      log.info('stopped');
      process.exit(0);
    } catch (error) {
      log.error('not_stopped_in_order', describeFault(error));
      process.exit(1);
    }
  };
  for (const signal of SIGNALS) process.on(signal, () => void onSignal(signal));
}
