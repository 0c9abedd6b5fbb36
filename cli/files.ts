import { createWriteStream, openAsBlob } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { OutputFormatName, Receipt } from '../packages/client/contract.ts';
import { OUTPUT_FORMAT_NAMES } from '../packages/tables/formats.ts';
import { didYouMean } from '../packages/words/nearNames.ts';
import { meantCommand } from './commands.ts';
import { CliError, EXIT, misuse, systemFault } from './exitCodes.ts';
import type { ResultOptions } from './parsedCommand.ts';

export const write = (stream: NodeJS.WriteStream, text: string): void => void stream.write(`${text}\n`);

/** By extension; csv if unknown. */
export const formatOf = (output: string): OutputFormatName | 'csv' =>
  OUTPUT_FORMAT_NAMES.find((name) => output.toLowerCase().endsWith(`.${name}`)) ?? 'csv';

export const writeReceipt = (receipt: Receipt, path: string): Promise<void> =>
  writeOutput(new Blob([`${JSON.stringify(receipt, null, 2)}\n`]).stream(), path);

/** Writes atomically. Throws CliError (output). */
export async function writeOutput(body: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  if (path === '-') return toStandardOutput(body);
  const part = partOf(path);
  try {
    await pipeline(body, createWriteStream(part, { flags: 'wx' }));
    await rename(part, path);
  } catch (cause) {
    await rm(part, { force: true });
    throw unwritable(path, cause);
  }
}

function unwritable(path: string, cause: unknown): CliError {
  return new CliError(EXIT.output, `${JSON.stringify(path)} cannot be written: ${systemFault(cause)}.`, { cause });
}

export const pathsOf = ({ output, report, reportForSharing, receipt }: ResultOptions): (string | null)[] => [
  report,
  reportForSharing,
  receipt,
  output,
];

/** Checks before any work. Throws CliError (output). */
export async function expectWritable(paths: readonly (string | null)[]): Promise<void> {
  for (const path of paths) {
    if (path === null || path === '-') continue;
    const part = partOf(path);
    try {
      if ((await stat(path).catch(() => undefined))?.isDirectory()) throw new Error('it is a folder');
      await (await open(part, 'wx')).close();
      await rm(part);
    } catch (cause) {
      throw unwritable(path, cause);
    }
  }
}

const partOf = (path: string): string => `${path}.${process.pid}.part`;

async function toStandardOutput(body: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    await pipeline(body, process.stdout, { end: false });
  } catch (cause) {
    // The reader has enough, like `head`.
    if (cause instanceof Error && 'code' in cause && cause.code === 'EPIPE') return;
    throw new CliError(EXIT.output, 'Standard output cannot be written.', { cause });
  }
}

/** Throws CliError (input). */
export async function readInput(path: string): Promise<File> {
  if (path === '-') return readStandardInput();
  try {
    if ((await stat(path)).isDirectory()) throw new Error('it is a folder');
    return new File([await openAsBlob(path)], basename(path));
  } catch (cause) {
    const why = `${JSON.stringify(path)} cannot be read: ${systemFault(cause)}.`;
    throw new CliError(EXIT.input, `${why}${await meantFile(path)}`, { cause });
  }
}

async function meantFile(path: string): Promise<string> {
  if (await stat(path).catch(() => undefined)) return '';
  const names = await readdir(dirname(path)).catch(() => []);
  const near = didYouMean(basename(path), names, (name) => JSON.stringify(join(dirname(path), name)));
  return near || meantCommand(path);
}

async function readStandardInput(): Promise<File> {
  if (process.stdin.isTTY) {
    throw misuse('Standard input is the terminal. Pipe a table in: synth - --auto < data.csv');
  }
  const bytes = new Uint8Array(await buffer(process.stdin));
  return new File([bytes], `input${endingOf(bytes)}`);
}

/** Pipes have no name; spreadsheets have signatures. */
function endingOf([a, b]: Uint8Array): string {
  if (a === 0x50 && b === 0x4b) return '.xlsx';
  return a === 0xd0 && b === 0xcf ? '.xls' : '.csv';
}
