/** The shared data folder beside the checkout: tests that read it run where it is, and show as not run where it is not. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';

const candidate = join(import.meta.dirname, '..', '..', '..', 'shared');

/** Absolute path of `../shared`, or undefined in a clone that has none beside it. */
export const sharedDir: string | undefined = existsSync(join(candidate, 'data')) ? candidate : undefined;

/** A suite over shared files; the one condition under which tests of this project do not run. */
export function describeShared(title: string, suite: (dir: string) => void): void {
  describe.runIf(sharedDir !== undefined)(`${title} (needs ../shared)`, () => {
    if (sharedDir !== undefined) suite(sharedDir);
  });
}
