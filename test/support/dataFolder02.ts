/** The data folder that version 0.2 left (`e2e/support/dataFolder02.zip`): a job that is done, and an upload without a job. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';

/** Its one key, and its jobs. */
export const KEY = '6f72d7b9b7170321.rt6yi7hAqAmrWrb6O6mUkzbveO0rWmjnYT5YWq0XDwo';
export const DONE = '8bb074f80ab2a59ee181cbbe31cd5442';
export const UPLOADED = '4f45baafaf7b4410738cb5ffb7b892df';

const kept = unzipSync(readFileSync(join(import.meta.dirname, '..', 'e2e', 'support', 'dataFolder02.zip')));

/** A file of it. */
export const textOf = (name: string): string => new TextDecoder().decode(kept[name]);

export function layOutFolder(path: string): void {
  for (const [name, bytes] of Object.entries(kept)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), bytes);
  }
}
