/** The data folder that version 0.1 left (`e2e/support/dataFolder01.zip`): a job that is done, and an upload without a job. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';

/** Its one key, and its jobs. */
export const KEY = '068d1d6f266bf8ad.-lpsLvYqFilRRpCS0VlV-lmlKenyAcDiwxrb5LpHbxc';
export const DONE = '8b72a7798e0a2838ba34a67490af715f';
export const UPLOADED = '50b8718fd4eba134013b0583c14c0d15';

const kept = unzipSync(readFileSync(join(import.meta.dirname, '..', 'e2e', 'support', 'dataFolder01.zip')));

/** A file of it. */
export const textOf = (name: string): string => new TextDecoder().decode(kept[name]);

export function layOutFolder(path: string): void {
  for (const [name, bytes] of Object.entries(kept)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), bytes);
  }
}
