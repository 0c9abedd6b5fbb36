/** The signing key in the data folder: made once, for its owner's eyes only. */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { link, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../../packages/contract/errors.ts';
import type { Signer } from '../../service/ports.ts';
import { createSigner, keyOfSeed, makeSeed } from '../shared/keys.ts';
import { makeFolder, syncFolder, temporaryName, writeDurably } from './fileObjectStore.ts';
import { storageError } from './storageErrors.ts';

export const SIGNING_KEY_FILE = 'signing-key.pem';

export const fileSigner = (dataDir: string): Signer =>
  createSigner(async () => {
    try {
      return await openKey(dataDir);
    } catch (error) {
      throw storageError(error);
    }
  });

async function openKey(dataDir: string): Promise<KeyObject> {
  const path = join(dataDir, SIGNING_KEY_FILE);
  return (await readKey(path)) ?? (await makeKey(dataDir, path));
}

async function readKey(path: string): Promise<KeyObject | undefined> {
  const pem = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (pem === undefined) return undefined;
  const key = parse(pem);
  if (key?.asymmetricKeyType === 'ed25519') return key;
  throw new ServiceError({ reason: 'signing_key_invalid', file: SIGNING_KEY_FILE });
}

function parse(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

/** Of several processes that start at once on one folder, all take the key of the one whose file is there first. */
async function makeKey(dataDir: string, path: string): Promise<KeyObject> {
  const temporary = join(dataDir, 'tmp');
  await makeFolder(temporary);
  const made = join(temporary, temporaryName());
  const pem = keyOfSeed(makeSeed()).export({ format: 'pem', type: 'pkcs8' });
  try {
    await writeDurably(made, join(temporary, temporaryName()), Buffer.from(pem));
    await link(made, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(made, { force: true });
  }
  await syncFolder(dataDir);
  const key = await readKey(path);
  if (!key) throw new ServiceError({ reason: 'signing_key_gone', file: SIGNING_KEY_FILE });
  return key;
}
