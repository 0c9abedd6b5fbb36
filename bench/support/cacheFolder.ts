/** Where benches keep what is dear to make: `.cache/bench`, which git ignores. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

export function cacheFolder(): string {
  const folder = join(import.meta.dirname, '..', '..', '.cache', 'bench');
  mkdirSync(folder, { recursive: true });
  return folder;
}
