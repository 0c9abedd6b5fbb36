/** The table, from a file or from standard input. */
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { CliError, EXIT } from './exitCodes.ts';

/** Throws CliError (input). */
export async function readInput(path: string): Promise<File> {
  if (path === '-') return readStandardInput();
  try {
    if ((await stat(path)).isDirectory()) throw new Error('it is a folder');
    return new File([await openAsBlob(path)], basename(path));
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(EXIT.input, `${JSON.stringify(path)} cannot be read: ${said}.`, { cause });
  }
}

async function readStandardInput(): Promise<File> {
  if (process.stdin.isTTY) {
    throw new CliError(EXIT.usage, 'Standard input is the terminal. Pipe a table in: synth - --auto < data.csv');
  }
  const bytes = new Uint8Array(await buffer(process.stdin));
  return new File([bytes], `input${endingOf(bytes)}`);
}

/** A pipe has no name to say what it holds; spreadsheets begin with marks of their own. */
function endingOf([a, b]: Uint8Array): string {
  if (a === 0x50 && b === 0x4b) return '.xlsx';
  return a === 0xd0 && b === 0xcf ? '.xls' : '.csv';
}
