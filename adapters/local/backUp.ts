import { chmodSync, constants, mkdirSync, readdirSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DATABASE_FILE, openDatabase } from './database.ts';
import { SECRETS_KEY_FILE, SIGNING_KEY_FILE } from './keyFiles.ts';

const KEY_FILES = [SIGNING_KEY_FILE, SECRETS_KEY_FILE];

/** Copies to an empty or new folder. Copies the database first, so that every object it names existed before. */
export async function backUp(dataDir: string, target: string): Promise<number> {
  mkdirSync(target, { recursive: true, mode: 0o700 });
  if (readdirSync(target).length > 0)
    throw new Error(`${target} is not empty. Name a folder that is empty or not there.`);
  copyDatabase(dataDir, join(target, DATABASE_FILE));
  for (const name of KEY_FILES) await copyIfThere(join(dataDir, name), join(target, name));
  let copied = 0;
  for (const path of filesBelow(join(dataDir, 'objects'))) {
    const to = join(target, 'objects', path);
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    if (await copyIfThere(join(dataDir, 'objects', path), to)) copied += 1;
  }
  return copied;
}

/** A consistent snapshot without erased data. */
function copyDatabase(dataDir: string, target: string): void {
  const database = openDatabase(dataDir);
  try {
    database.prepare('VACUUM INTO ?').run(target);
  } finally {
    database.close();
  }
  chmodSync(target, 0o600);
}

function filesBelow(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function copyIfThere(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';
