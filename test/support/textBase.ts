/** The base language model that `npm run text-base` fetches: tests that read it run where it is, and show as not run where it is not. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { cacheFolder } from '../../adapters/local/cacheFolder.ts';
import { TEXT_BASE_PACKAGE } from '../../cli/fetchTextBase.ts';

const candidate = join(cacheFolder('text-base'), TEXT_BASE_PACKAGE.file);

/** A suite over the fetched base. */
export function describeTextBase(title: string, suite: (path: string) => void): void {
  describe.runIf(existsSync(candidate))(`${title} (needs npm run text-base)`, () => suite(candidate));
}
