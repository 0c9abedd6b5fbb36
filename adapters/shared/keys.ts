/** Keys are `<id>.<secret>`; with 256 random bits, plain SHA-256 without salt is safe. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  sign,
  timingSafeEqual,
} from 'node:crypto';
import { KEY_RIGHTS, type KeyRight, type Signer } from '../../service/ports.ts';

const ID_BYTES = 8;
const SECRET_BYTES = 32;
const KEY_TEXT = /^([0-9a-f]{16})\.([A-Za-z0-9_-]{43})$/;

/** Makes an unknown id take as long as a wrong secret. */
const NO_HASH = randomBytes(32);

interface NewKey {
  id: string;
  key: string;
  secretHash: Uint8Array<ArrayBuffer>;
}

export function makeKey(): NewKey {
  const id = randomBytes(ID_BYTES).toString('hex');
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { id, key: `${id}.${secret}`, secretHash: hashOf(secret) };
}

export function readKey(key: string): { id: string; secret: string } {
  const [, id = '', secret = ''] = KEY_TEXT.exec(key) ?? [];
  return { id, secret };
}

/** Constant time, even without a stored hash. */
export const isSecretOf = (secret: string, storedHash: Uint8Array | undefined): boolean =>
  timingSafeEqual(hashOf(secret), storedHash ?? NO_HASH);

const hashOf = (secret: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash('sha256').update(secret).digest());

// Rights of a key, as its record keeps them: names with blanks between.

export const packRights = (rights: readonly KeyRight[]): string => rights.join(' ');

/** Ignores rights of later versions. */
export const unpackRights = (packed: string): KeyRight[] =>
  KEY_RIGHTS.filter((right) => packed.split(' ').includes(right));

/** PKCS #8 prefix (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED_BYTES = 32;

export const makeSeed = (): Buffer => randomBytes(SEED_BYTES);

export function keyOfSeed(seed: Uint8Array): KeyObject {
  if (seed.byteLength !== SEED_BYTES) throw new RangeError(`a signing key has ${SEED_BYTES} bytes`);
  return createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
}

export const publicBytes = (key: KeyObject): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-SEED_BYTES));

/** Reads the key on first use, and again after a failure. */
export function createSigner(
  readKey: () => Promise<KeyObject>,
  readPublished?: () => Promise<Uint8Array | null>,
): Signer {
  let opened: Promise<KeyObject> | undefined;
  const key = (): Promise<KeyObject> => {
    opened ??= readKey().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return {
    async sign(bytes) {
      const own = await key();
      return { signature: new Uint8Array(sign(null, bytes, own)), publicKey: publicBytes(own) };
    },
    publicKey: async () => publicBytes(await key()),
    publishedKey: readPublished ?? (async () => publicBytes(await key())),
  };
}
