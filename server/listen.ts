/** Binding and letting go of the port. */
import { once } from 'node:events';
import type { Server } from 'node:http';

/** How long requests that are being answered may take when the server stops. */
const GRACE_MS = 10_000;

/** Rejects where the address cannot be bound. */
export async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening');
}

/** The real address: the port that was given, where 0 was asked for. */
export function urlOf(server: Server, host: string): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  const name = host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${address.port}`;
}

/** Accepts nothing new, finishes what is being answered, and after `GRACE_MS` cuts what is left. */
export async function closeGracefully(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await closed;
  clearTimeout(timer);
}
