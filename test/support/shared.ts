/** The shared data folder beside the checkout: tests that read it run where it is, and say so where it is not. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';

const candidate = join(import.meta.dirname, '..', '..', '..', 'shared');

/** Absolute path of `../shared`, or undefined in a clone that has none beside it. */
export const sharedDir: string | undefined = existsSync(join(candidate, 'data')) ? candidate : undefined;

/** A suite over shared files; the one condition under which tests of this project do not run. */
export function describeShared(title: string, suite: (dir: string) => void): void {
  if (sharedDir) describe(title, () => suite(sharedDir));
  else describe(`${title} (not run: no ../shared beside this checkout)`, () => {});
}
