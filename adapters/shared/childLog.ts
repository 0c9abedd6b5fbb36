/** JSON lines on standard output, which the server passes on. */
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import type { Log } from '../../service/ports.ts';

const lineSchema = z.object({
  level: z.enum(['info', 'error']),
  event: z.string(),
  fields: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
});
type Line = z.infer<typeof lineSchema>;

/** The server's death is not the job's fault; the watchdog ends it. */
export function writerTo(stream: Writable): (text: string) => void {
  stream.on('error', () => {});
  return (text) => void stream.write(text);
}

export function lineLog(write: (text: string) => void): Log {
  const say = (line: Line) => write(`${JSON.stringify(line)}\n`);
  return {
    info: (event, fields = {}) => say({ level: 'info', event, fields }),
    error: (event, fields = {}) => say({ level: 'error', event, fields }),
  };
}

/** Drops other output, which may contain anything. */
export function passOn(output: Readable | null, log: Log): void {
  if (!output) return;
  createInterface({ input: output, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (text) => {
    const line = lineSchema.safeParse(parseJson(text));
    if (line.success) log[line.data.level](line.data.event, line.data.fields);
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const KEPT_CHARACTERS = 8192;

export class TextTail {
  #text = '';

  constructor(stream: Readable | null) {
    stream?.setEncoding('utf8');
    stream?.on('data', (chunk: string) => {
      this.#text = (this.#text + chunk).slice(-KEPT_CHARACTERS);
    });
    stream?.on('error', () => {});
  }

  text(): string {
    return this.#text;
  }
}
