/** Files that are there whole or not at all: written under a temporary name, synced, then renamed. */
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes `body` to `path`, by way of `temporaryPath` on the same file system. Returns the bytes written. */
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

/** A write may take less than it was given. */
async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<number> {
  let written = 0;
  while (written < chunk.byteLength) written += (await file.write(chunk, written)).bytesWritten;
  return written;
}

/** Makes a folder and what is missing above it, each one's entry synced in the folder that holds it. */
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
