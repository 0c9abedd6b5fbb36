/**
 * CloudFront's part, of which the emulator knows nothing: one base URL, whose paths go where the synthesised
 * distribution sends them. Bytes pass as they come, both ways. Loopback only.
 */
import { Agent, createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';

export interface Route {
  /** A path, as in the distribution's cache behaviours. */
  path: string;
  /** Base URL. */
  origin: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

function pass(origin: string, request: IncomingMessage, response: ServerResponse): void {
  const target = new URL(origin);
  const { host: _, ...headers } = request.headers;
  const onward = send(
    {
      agent,
      host: target.hostname,
      port: target.port,
      method: request.method,
      path: target.pathname.replace(/\/$/, '') + (request.url ?? '/'),
      headers: { ...headers, host: target.host },
    },
    (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.rawHeaders);
      reply.pipe(response);
    },
  );
  onward.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
  request.pipe(onward);
}

export async function serveFront(routes: readonly Route[], standard: string): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0];
    pass(routes.find((route) => route.path === path)?.origin ?? standard, request, response);
  });
  // Tests reach the limit of the service itself, not that of this stand-in.
  server.maxHeadersCount = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('The stand-in for CloudFront has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}
