/** What one key, or somebody without a key, may do to take the service away from others. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { createStream } from '../../packages/numerics/random/createStream.ts';
import { filePart, MULTIPART, multipart } from '../../test/support/multipart.ts';
import { housesCsv } from '../../test/support/tables.ts';
import { SEED_WORKBOOKS } from '../fuzz/seeds.ts';
import { zipOf } from '../fuzz/zip.ts';

export const victimSchema = z.object({
  url: z.string(),
  /** Of the attacker. */
  key: z.string(),
  /** An upload of 16,384 columns, finished jobs whose results are large, and uploads for jobs that take long. */
  wide: z.string(),
  results: z.array(z.string()),
  long: z.array(z.string()),
});
export type Victim = z.infer<typeof victimSchema>;

/** How often each answer came: a status, or what became of a connection. */
export type Tally = Record<string, number>;

type Attack = (own: Attacker, victim: Victim) => Promise<unknown>;

const WIDE_CALLS = 150;
const DOWNLOADS = 100;
const IDLE = 1500;
const SLOW = 400;
const FLOOD = 20;
const WORKBOOKS = 4;

export const ATTACKS: Readonly<Record<string, Attack>> = {
  '150 × columns of 16,384': (own, { wide }) => own.repeat(WIDE_CALLS, () => own.ask('GET', `/jobs/${wide}/columns`)),
  '100 downloads, unread': (own, { key, results }) => {
    const paths = results.flatMap((id) => ['xlsx', 'parquet', 'jsonl'].map((as) => `/download/${id}?format=${as}`));
    let turn = 0;
    return own.hold(DOWNLOADS, async (socket) => {
      socket.pause();
      socket.write(`GET ${paths[turn++ % paths.length]} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`);
    });
  },
  '1,500 idle sockets, no key': (own) => own.hold(IDLE, async () => undefined),
  'long jobs, uploads, starts': async (own, { long }) => {
    const file = upload(housesCsv(2000), 'table.csv');
    const starts = () => own.ask('POST', '/generate', longJob(long[turn++ % long.length] ?? ''));
    let turn = 0;
    await Promise.all([own.repeat(FLOOD, () => own.ask('POST', '/upload', file)), own.repeat(FLOOD, starts)]);
    for (const id of long) await own.ask('POST', `/jobs/${id}/cancel`, undefined, AbortSignal.timeout(20_000));
  },
  'workbooks of 1 MB, 1,000,000 cells': async (own) => {
    const file = upload(denseWorkbook(), 'table.xlsx');
    await own.repeat(WORKBOOKS, () => own.ask('POST', '/upload', file));
  },
  '400 slow headers, no key': (own) =>
    own.hold(SLOW, async (socket) => {
      socket.write('GET /health HTTP/1.1\r\nHost: x\r\n');
      while (!socket.destroyed) {
        await sleep(1000);
        socket.write('X-More: a\r\n');
      }
    }),
};

/** Those that need neither jobs nor uploads: what one key and somebody without one may do together, and at once. */
export const STARVING: readonly string[] = [
  '150 × columns of 16,384',
  '100 downloads, unread',
  '1,500 idle sockets, no key',
  '400 slow headers, no key',
];

interface Body {
  type: string;
  bytes: string | Uint8Array<ArrayBuffer>;
}

const upload = (content: string | Uint8Array, name: string): Body => ({
  type: MULTIPART,
  bytes: multipart([filePart(content, name)]),
});

const LONG_ROWS = 1_000_000;

const longJob = (job_id: string): Body => ({
  type: 'application/json',
  bytes: JSON.stringify({
    job_id,
    target_col: 'price',
    continuous_cols: ['area'],
    categorical_cols: ['city'],
    n_samples: LONG_ROWS,
  }),
});

const DENSE_ROWS = 50_000;
const DENSE_COLUMNS = 20;
/** Rows that are drawn from: so many that the archive is not packed too tightly. */
const KINDS_OF_ROWS = 2000;

function denseWorkbook(): Uint8Array {
  const random = createStream(1, 'dense-workbook');
  const row = (cell: () => string) => `<row>${Array.from({ length: DENSE_COLUMNS }, cell).join('')}</row>`;
  const kinds = Array.from({ length: KINDS_OF_ROWS }, () => row(() => `<c><v>${random.integer(1000)}</v></c>`));
  const lines = Array.from({ length: DENSE_ROWS }, () => kinds[random.integer(KINDS_OF_ROWS)]);
  let column = 0;
  const header = row(() => `<c t="inlineStr"><is><t>c${column++}</t></is></c>`);
  const sheet = new TextEncoder().encode(
    `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${header}${lines.join('')}</sheetData></worksheet>`,
  );
  return zipOf(SEED_WORKBOOKS[0]!.map((part) => (/sheet1\.xml$/.test(part.name) ? { ...part, bytes: sheet } : part)));
}

/** Does things again and again until it is stopped, and counts what comes of them. */
export class Attacker {
  readonly tally: Tally = {};
  readonly #victim: Victim;
  readonly #stopped: AbortSignal;

  constructor(victim: Victim, stopped: AbortSignal) {
    this.#victim = victim;
    this.#stopped = stopped;
  }

  count(outcome: string): void {
    this.tally[outcome] = (this.tally[outcome] ?? 0) + 1;
  }

  /** So many at a time. */
  async repeat(atOnce: number, act: () => Promise<void>): Promise<void> {
    const line = async () => {
      while (!this.#stopped.aborted) await act();
    };
    await Promise.all(Array.from({ length: atOnce }, line));
  }

  async ask(method: string, path: string, body?: Body, signal: AbortSignal = this.#stopped): Promise<void> {
    const { url, key } = this.#victim;
    const headers = { 'X-API-Key': key, ...(body && { 'Content-Type': body.type }) };
    try {
      const reply = await fetch(url + path, { method, headers, signal, ...(body && { body: body.bytes }) });
      await reply.arrayBuffer();
      this.count(String(reply.status));
    } catch {
      if (this.#stopped.aborted) return;
      this.count('no answer');
      await sleep(50);
    }
  }

  /** So many connections, each begun in this way; one that is closed is opened again. */
  async hold(count: number, begin: (socket: Socket) => Promise<void>): Promise<void> {
    const { hostname, port } = new URL(this.#victim.url);
    await this.repeat(count, async () => {
      const socket = connect({ host: hostname, port: Number(port) });
      const stop = () => socket.destroy();
      this.#stopped.addEventListener('abort', stop, { once: true });
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      socket.on('error', () => undefined);
      await Promise.race([once(socket, 'connect').catch(() => undefined), closed]);
      this.count('opened');
      void begin(socket).catch(() => undefined);
      await closed;
      this.#stopped.removeEventListener('abort', stop);
      if (!this.#stopped.aborted) this.count('closed');
      await sleep(1000);
    });
  }
}
