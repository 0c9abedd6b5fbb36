/** HTTP byte by byte: requests that no library would send, from a client that sends all before it reads. */
import { connect, type Socket } from 'node:net';

export interface RawReply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface RawClient {
  socket: Socket;
  /** Resolves when the bytes were handed to the system. */
  send(bytes: string | Uint8Array): Promise<void>;
  /** The first whole answer. Rejects where the connection breaks before it. */
  reply(): Promise<RawReply>;
}

export function rawClient(url: string): RawClient {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const chunks: Buffer[] = [];
  let failure: Error | undefined;
  let wake = () => {};
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    wake();
  });
  socket.on('error', (error) => {
    failure = error;
    wake();
  });
  socket.on('close', () => {
    failure ??= new Error('closed');
    wake();
  });
  return {
    socket,
    send: (bytes) =>
      new Promise((resolve, reject) => socket.write(bytes, (error) => (error ? reject(error) : resolve()))),
    async reply() {
      for (;;) {
        const reply = parse(Buffer.concat(chunks).toString('utf8'));
        if (reply) return reply;
        if (failure) throw failure;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** Sends the bytes, then reads. */
export async function exchange(
  url: string,
  bytes: string | Uint8Array,
  { halfClose } = { halfClose: false },
): Promise<RawReply> {
  const client = rawClient(url);
  try {
    await client.send(bytes);
    if (halfClose) client.socket.end();
    return await client.reply();
  } finally {
    client.socket.destroy();
  }
}

function parse(text: string): RawReply | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const status = Number(first.split(' ')[1]);
  if (status === 100) return parse(text.slice(end + 4));
  const body = text.slice(end + 4);
  return Buffer.byteLength(body) >= Number(headers['content-length'] ?? 0) ? { status, headers, body } : undefined;
}
