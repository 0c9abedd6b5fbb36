/** What is written: the result, to a file or to standard output, and lines. */
import { constants, createWriteStream } from 'node:fs';
import { access, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { OutputFormatName, Receipt } from '../packages/client/contract.ts';
import { OUTPUT_FORMAT_NAMES } from '../packages/tables/formats.ts';
import { CliError, EXIT } from './exitCodes.ts';

export const write = (stream: NodeJS.WriteStream, text: string): void => void stream.write(`${text}\n`);

/** By the end of the file's name; csv for any other. */
export const formatOf = (output: string): OutputFormatName | 'csv' =>
  OUTPUT_FORMAT_NAMES.find((name) => output.toLowerCase().endsWith(`.${name}`)) ?? 'csv';

export const writeReceipt = (receipt: Receipt, path: string): Promise<void> =>
  writeOutput(new Blob([`${JSON.stringify(receipt, null, 2)}\n`]).stream(), path);

/** A file comes whole or not at all: an older one stays until then. Throws CliError (output). */
export async function writeOutput(body: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  if (path === '-') return toStandardOutput(body);
  const part = `${path}.${process.pid}.part`;
  try {
    await pipeline(body, createWriteStream(part, { flags: 'wx' }));
    await rename(part, path);
  } catch (cause) {
    await rm(part, { force: true });
    throw unwritable(path, cause);
  }
}

function unwritable(path: string, cause: unknown): CliError {
  const said = cause instanceof Error ? cause.message : String(cause);
  return new CliError(EXIT.output, `${JSON.stringify(path)} cannot be written: ${said}.`, { cause });
}

/** Throws CliError (output) where the folder of one of them takes no file: before a table is made, and not after. */
export async function expectWritable(paths: readonly (string | null)[]): Promise<void> {
  for (const path of paths) {
    if (path === null || path === '-') continue;
    await access(dirname(path), constants.W_OK).catch((cause: unknown) => {
      throw unwritable(path, cause);
    });
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
