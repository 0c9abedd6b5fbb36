/** The files of a base language model, from a folder or as one file. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** Files by name, those alone that `isWanted`. Undefined where nothing lies at the path. */
export async function readTextBaseFiles(
  path: string,
  isWanted: (name: string) => boolean,
): Promise<Map<string, Uint8Array> | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return undefined;
  if (found.isFile()) return new Map([[basename(path), await readFile(path)]]);
  const names = (await readdir(path)).filter(isWanted).sort();
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(path, name))] as const)));
}
