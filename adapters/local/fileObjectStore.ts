/** Objects as files in `objects/`; written in `tmp/` first. */

import { createHash } from 'node:crypto';
import type { Dirent, Stats } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ObjectStore } from '../../service/ports.ts';
import { isGone, type ProcessIdentity, thisProcess } from './leases.ts';
import { storageError } from './storageErrors.ts';

const READ_BYTES = 262_144;
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

  /** Opens the file only when the body is read. */
  async get(key: string): Promise<{ bytes: number; body: AsyncIterable<Uint8Array> } | undefined> {
    const path = this.#path(key);
    const found = await storage(() => statFile(path));
    return found && { bytes: found.size, body: readBody(path, found) };
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

  async times(prefix: string): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    for (const key of await this.list(prefix)) {
      const file = await storage(() => statFile(this.#path(key)));
      if (file) found.set(key, file.mtimeMs);
    }
    return found;
  }

  async erase(keyOrPrefix: string): Promise<void> {
    const recursive = keyOrPrefix.endsWith('/');
    const path = this.#path(recursive ? keyOrPrefix.slice(0, -1) : keyOrPrefix);
    await storage(() => rm(path, { recursive, force: true, maxRetries: ERASE_RETRIES }));
  }

  async removeLeftovers(): Promise<number> {
    const names = (await storage(() => readFolder(this.#temporary))).map((entry) => entry.name);
    const left = names.filter((name) => isLeftover(name));
    for (const name of left) await storage(() => rm(join(this.#temporary, name), { force: true }));
    return left.length;
  }

  /** The server makes all keys, so other forms are bugs. */
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

/** Yields the file that was found or throws, never a mix of two versions. */
async function* readBody(path: string, found: Stats): AsyncGenerator<Uint8Array> {
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

/** Undefined if nothing exists. */
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

/** Writes atomically; `temporaryPath` must be on the same file system. */
export async function writeDurably(
  path: string,
  temporaryPath: string,
  body: AsyncIterable<Uint8Array> | Uint8Array,
): Promise<number> {
  try {
    const bytes = await writeSynced(temporaryPath, body);
    await makeFolder(dirname(path));
    await rename(temporaryPath, path);
    await syncFolder(dirname(path));
    return bytes;
  } catch (error) {
    await rm(temporaryPath, { force: true }).catch(() => {});
    throw error;
  }
}

async function writeSynced(path: string, body: AsyncIterable<Uint8Array> | Uint8Array): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  try {
    const bytes = body instanceof Uint8Array ? await writeAll(file, body) : await writeChunks(file, body);
    await file.sync();
    return bytes;
  } finally {
    await file.close();
  }
}

async function writeChunks(file: FileHandle, body: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of body) bytes += await writeAll(file, chunk);
  return bytes;
}

/** A write may be partial. */
async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<number> {
  let written = 0;
  while (written < chunk.byteLength) written += (await file.write(chunk, written)).bytesWritten;
  return written;
}

/** Syncs each new entry in its parent. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

// Names identify their process, so that its leftovers are found.

let made = 0;

const hostTag = (host: string): string => createHash('sha256').update(host).digest('hex').slice(0, 12);

/** `<host>.<pid>.<instance>.<n>` */
export function temporaryName(self: ProcessIdentity = thisProcess): string {
  made += 1;
  return [hostTag(self.host), self.pid, self.instance, made].join('.');
}

function isLeftover(name: string, self: ProcessIdentity = thisProcess): boolean {
  const [, host, pid, instance] = /^([0-9a-f]{12})\.(\d+)\.([0-9a-f]+)\.\d+$/.exec(name) ?? [];
  if (host !== hostTag(self.host) || pid === undefined || instance === undefined) return false;
  return isGone({ host: self.host, pid: Number(pid), instance }, self);
}
