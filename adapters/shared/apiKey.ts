/**
 * Clients' keys. A key is `<id>.<secret>`: found by its id, then compared by its secret's SHA-256. The secret has 256
 * random bits, so that neither a salt nor a slow hash would make it harder to guess.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const ID_BYTES = 8;
const SECRET_BYTES = 32;
const KEY_TEXT = /^([0-9a-f]{16})\.([A-Za-z0-9_-]{43})$/;

/** Compared with where no key has the id, so that an unknown id takes as long as a wrong secret. */
const NO_HASH = randomBytes(32);

export interface NewKey {
  id: string;
  /** What the client is given, and nobody keeps. */
  key: string;
  secretHash: Uint8Array<ArrayBuffer>;
}

export function makeKey(): NewKey {
  const id = randomBytes(ID_BYTES).toString('hex');
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { id, key: `${id}.${secret}`, secretHash: hashOf(secret) };
}

/** The id that a key claims to have, empty where the text is no key, and its secret. */
export function readKey(key: string): { id: string; secret: string } {
  const [, id = '', secret = ''] = KEY_TEXT.exec(key) ?? [];
  return { id, secret };
}

/** In constant time, also where there is no stored hash. */
export const isSecretOf = (secret: string, storedHash: Uint8Array | undefined): boolean =>
  timingSafeEqual(hashOf(secret), storedHash ?? NO_HASH);

const hashOf = (secret: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash('sha256').update(secret).digest());
