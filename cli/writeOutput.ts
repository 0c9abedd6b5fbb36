/** The result, to a file or to standard output. */
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { CliError, EXIT } from './exitCodes.ts';

/** A file comes whole or not at all: an older one stays until then. Throws CliError (output). */
export async function writeOutput(body: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  if (path === '-') return toStandardOutput(body);
  const part = `${path}.${process.pid}.part`;
  try {
    await pipeline(body, createWriteStream(part, { flags: 'wx' }));
    await rename(part, path);
  } catch (cause) {
    await rm(part, { force: true });
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(EXIT.output, `${JSON.stringify(path)} cannot be written: ${said}.`, { cause });
  }
}

async function toStandardOutput(body: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    await pipeline(body, process.stdout, { end: false });
  } catch (cause) {
    // Whoever reads has enough, as `head` has.
    if (cause instanceof Error && 'code' in cause && cause.code === 'EPIPE') return;
    throw new CliError(EXIT.output, 'Standard output cannot be written.', { cause });
  }
}
