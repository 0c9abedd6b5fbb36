/**
 * `synthetic-tables text-base [FOLDER]`: fetches the base language model of text columns, into the folder where jobs of this
 * user look for it, or into the one that is named.
 */
import { cacheFolder } from '../adapters/local/cacheFolder.ts';
import { fetchTextBase } from './fetchTextBase.ts';

try {
  const path = await fetchTextBase(process.argv[2] ?? cacheFolder('text-base'));
  process.stdout.write(`The base language model is at ${path}.\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
