/** Whoever a callback_url leads to: a server that notes what it is sent and answers as the test says. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface Receiver {
  port: number;
  url: string;
  received: Received[];
  /** Statuses of the next answers; the last one stays. 0 hangs up; -1 never answers. */
  answers: number[];
  /** How long it takes to answer. */
  delayMs: number;
  close(): Promise<void>;
}

export async function startReceiver(...answers: number[]): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    received.push({ path: request.url ?? '', headers, body });
    const status = receiver.answers.length > 1 ? receiver.answers.shift() : receiver.answers[0];
    if (status === -1) return;
    await sleep(receiver.delayMs);
    if (!status) return void request.socket.destroy();
    response.writeHead(status, { Location: 'http://127.0.0.1:1/elsewhere' }).end('x'.repeat(100_000));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const receiver: Receiver = {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answers: answers.length > 0 ? answers : [204],
    delayMs: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
