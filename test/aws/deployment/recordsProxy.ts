/**
 * Stands between the deployed functions and DynamoDB, to end a function's process exactly before or after a write that
 * a test names, or to answer the write with an error. Everything else passes unchanged. Loopback only.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';

export const recordsFaultSchema = z.object({
  /** As in `x-amz-target`: UpdateItem, TransactWriteItems … */
  operation: z.string(),
  /** A regular expression that the request's JSON matches. */
  body: z.string(),
  what: z.enum(['kill before', 'kill after', 'throttle', 'fail']),
  times: z.int().min(1).default(1),
});
export type RecordsFault = z.input<typeof recordsFaultSchema>;

const HOP = /^(connection|keep-alive|transfer-encoding|content-length|host)$/i;

export class RecordsProxy {
  #fault: z.output<typeof recordsFaultSchema> | undefined;
  #hits = 0;
  readonly #target: string;

  constructor(target: string) {
    this.#target = target;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    if (request.url === '/control/fault') return this.#control(body, response);
    const fault = this.#due(String(request.headers['x-amz-target'] ?? ''), body);
    if (fault === 'kill before') return kill(request, response);
    if (fault === 'throttle') return refuse(response, 400, 'ThrottlingException');
    if (fault === 'fail') return refuse(response, 500, 'InternalServerError');
    const headers = Object.entries(request.headers).filter(([name]) => !HOP.test(name));
    const reply = await fetch(this.#target + (request.url ?? '/'), {
      method: request.method ?? 'POST',
      headers: headers.map(([name, value]): [string, string] => [name, String(value)]),
      body: new Uint8Array(body),
    });
    const answer = Buffer.from(await reply.arrayBuffer());
    if (fault === 'kill after') return kill(request, response);
    response.writeHead(reply.status, Object.fromEntries([...reply.headers].filter(([name]) => !HOP.test(name))));
    response.end(answer);
  }

  /** A body sets a fault, or none with `null`; the answer says how often the last one struck. */
  #control(body: Buffer, response: ServerResponse): void {
    const hits = this.#hits;
    if (body.length > 0) {
      this.#fault = recordsFaultSchema.nullable().parse(JSON.parse(body.toString())) ?? undefined;
      this.#hits = 0;
    }
    response.end(JSON.stringify({ hits }));
  }

  #due(target: string, body: Buffer): RecordsFault['what'] | undefined {
    const fault = this.#fault;
    if (!fault || !target.endsWith(`.${fault.operation}`) || !new RegExp(fault.body).test(body.toString()))
      return undefined;
    fault.times -= 1;
    this.#hits += 1;
    if (fault.times === 0) this.#fault = undefined;
    return fault.what;
  }
}

/** The emulator's functions say their process in the SDK's User-Agent. */
function kill(request: IncomingMessage, response: ServerResponse): void {
  const pid = /app\/pid-(\d+)/.exec(String(request.headers['user-agent']))?.[1];
  if (pid !== undefined) process.kill(Number(pid), 'SIGKILL');
  response.destroy();
}

function refuse(response: ServerResponse, status: number, type: string): void {
  response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' });
  response.end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'Asked for by a test.' }));
}

export async function serveRecordsProxy(target: string): Promise<{ url: string; close(): void }> {
  const proxy = new RecordsProxy(target);
  const server = createServer((request, response) => {
    proxy.handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('The proxy of the records has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

export async function setRecordsFault(url: string, fault: RecordsFault | null): Promise<void> {
  await fetch(`${url}/control/fault`, { method: 'POST', body: JSON.stringify(fault) });
}

/** How often the fault that was set last has struck. */
export async function recordsFaultHits(url: string): Promise<number> {
  const reply = await fetch(`${url}/control/fault`, { method: 'POST' });
  return z.object({ hits: z.int() }).parse(await reply.json()).hits;
}
