/** Objects as files: `objects/<key>`; what is being written lies in `tmp/`. */
import type { Dirent, Stats } from 'node:fs';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectStore } from '../../domain/ports.ts';
import { makeFolder, writeDurably } from './durableFile.ts';
import { storageError } from './storageErrors.ts';
import { isLeftover, temporaryName } from './temporaryNames.ts';

const READ_BYTES = 262_144;
/** A folder into which another process writes while it is erased is not empty at first. */
const ERASE_RETRIES = 5;
const KEY_SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/;

export class FileObjectStore implements ObjectStore {
  readonly #objects: string;
  readonly #temporary: string;

  constructor(dataDir: string) {
    this.#objects = join(dataDir, 'objects');
    this.#temporary = join(dataDir, 'tmp');
  }

  async put(key: string, body: AsyncIterable<Uint8Array> | Uint8Array): Promise<{ bytes: number }> {
    const path = this.#path(key);
    return storage(async () => {
      await makeFolder(this.#temporary);
      return { bytes: await writeDurably(path, join(this.#temporary, temporaryName()), body) };
    });
  }

  /** The file is opened when the body is read, so that a body nobody reads holds nothing open. */
  async get(key: string): Promise<{ bytes: number; body: AsyncIterable<Uint8Array> } | undefined> {
    const path = this.#path(key);
    const found = await storage(() => statFile(path));
    return found && { bytes: found.size, body: readFile(path, found) };
  }

  async list(prefix: string): Promise<string[]> {
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    const below = folder === '' ? this.#objects : this.#path(folder.slice(0, -1));
    const paths = await storage(() => filesBelow(below));
    return paths
      .map((path) => path.slice(this.#objects.length + 1))
      .filter((key) => key.startsWith(prefix))
      .sort();
  }

  async erase(keyOrPrefix: string): Promise<void> {
    const recursive = keyOrPrefix.endsWith('/');
    const path = this.#path(recursive ? keyOrPrefix.slice(0, -1) : keyOrPrefix);
    await storage(() => rm(path, { recursive, force: true, maxRetries: ERASE_RETRIES }));
  }

  /** Removes temporary files of processes that are gone. Returns how many. */
  async removeLeftovers(): Promise<number> {
    const names = (await storage(() => readFolder(this.#temporary))).map((entry) => entry.name);
    const left = names.filter((name) => isLeftover(name));
    for (const name of left) await storage(() => rm(join(this.#temporary, name), { force: true }));
    return left.length;
  }

  /** Keys are made by the server: one that is not of this form is a fault in the code. */
  #path(key: string): string {
    const segments = key.split('/');
    if (!segments.every((segment) => KEY_SEGMENT.test(segment))) {
      throw new RangeError(`not a key of an object: ${JSON.stringify(key)}`);
    }
    return join(this.#objects, ...segments);
  }
}

async function storage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageError(error);
  }
}

async function statFile(path: string): Promise<Stats | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() ? found : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The file that was found, or an error: never a part of one and a part of another. */
async function* readFile(path: string, found: Stats): AsyncGenerator<Uint8Array> {
  const file = await storage(() => open(path, 'r'));
  try {
    const { ino, size } = await file.stat();
    if (ino !== found.ino || size !== found.size) throw new Error('the object was replaced before it was read');
    for (;;) {
      const { bytesRead, buffer } = await storage(() => file.read(new Uint8Array(READ_BYTES), 0, READ_BYTES, null));
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Paths of the files below a folder. A folder that is missing, or erased meanwhile, has none. */
async function filesBelow(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readFolder(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) found.push(...(await filesBelow(path)));
    else found.push(path);
  }
  return found;
}

async function readFolder(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';
