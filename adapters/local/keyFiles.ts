import { createCipheriv, createDecipheriv, createPrivateKey, type KeyObject, randomBytes } from 'node:crypto';
import { link, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../../packages/contract/errors.ts';
import type { Signer } from '../../service/ports.ts';
import { createSigner, keyOfSeed, makeSeed } from '../shared/keys.ts';
import { makeFolder, syncFolder, temporaryName, writeDurably } from './fileObjectStore.ts';
import { storageError } from './storageErrors.ts';

/** Concurrent processes all use the first file. */
async function keyFrom<Key>(
  dataDir: string,
  name: string,
  read: (bytes: Buffer) => Key,
  make: () => Buffer,
): Promise<Key> {
  try {
    const found = await readIfThere(join(dataDir, name));
    if (found) return read(found);
    await makeFile(dataDir, name, make());
    const made = await readIfThere(join(dataDir, name));
    if (!made) throw new ServiceError({ reason: 'signing_key_gone', file: name });
    return read(made);
  } catch (error) {
    throw storageError(error);
  }
}

const readIfThere = (path: string): Promise<Buffer | undefined> =>
  readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

async function makeFile(dataDir: string, name: string, bytes: Buffer): Promise<void> {
  const temporary = join(dataDir, 'tmp');
  await makeFolder(temporary);
  const made = join(temporary, temporaryName());
  try {
    await writeDurably(made, join(temporary, temporaryName()), bytes);
    await link(made, join(dataDir, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(made, { force: true });
  }
  await syncFolder(dataDir);
}

export const SIGNING_KEY_FILE = 'signing-key.pem';

export const fileSigner = (dataDir: string): Signer =>
  createSigner(() => keyFrom(dataDir, SIGNING_KEY_FILE, signingKey, newSigningKey));

function signingKey(pem: Buffer): KeyObject {
  const key = parsedKey(pem);
  if (key?.asymmetricKeyType === 'ed25519') return key;
  throw new ServiceError({ reason: 'signing_key_invalid', file: SIGNING_KEY_FILE });
}

function parsedKey(pem: Buffer): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

const newSigningKey = (): Buffer => Buffer.from(keyOfSeed(makeSeed()).export({ format: 'pem', type: 'pkcs8' }));

// Encrypts secrets in the database: AES-256-GCM (NIST SP 800-38D) with fresh nonces.

export const SECRETS_KEY_FILE = 'secrets-key';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** `purpose` is authenticated, so text sealed for one cannot be opened for another. */
export interface Vault {
  seal(plain: Uint8Array, purpose: string): Promise<Uint8Array>;
  /** Throws `storage_unavailable` if sealed with another key. */
  open(sealed: Uint8Array, purpose: string): Promise<Uint8Array>;
}

export function fileVault(dataDir: string): Vault {
  let key: Promise<Buffer> | undefined;
  const ownKey = () => {
    key ??= keyFrom(dataDir, SECRETS_KEY_FILE, secretsKey, () => randomBytes(KEY_BYTES));
    key.catch(() => {
      key = undefined;
    });
    return key;
  };
  return {
    async seal(plain, purpose) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', await ownKey(), nonce).setAAD(Buffer.from(purpose));
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    async open(sealed, purpose) {
      return unsealed(await ownKey(), sealed, purpose);
    },
  };
}

function secretsKey(bytes: Buffer): Buffer {
  if (bytes.byteLength === KEY_BYTES) return bytes;
  throw new ServiceError({ reason: 'secrets_key_invalid', file: SECRETS_KEY_FILE });
}

function unsealed(key: Buffer, sealed: Uint8Array, purpose: string): Uint8Array {
  try {
    const end = sealed.byteLength - TAG_BYTES;
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(purpose))
      .setAuthTag(sealed.subarray(end));
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, end)), decipher.final()]);
  } catch (cause) {
    throw new ServiceError({ reason: 'secrets_key_invalid', file: SECRETS_KEY_FILE }, { cause });
  }
}
