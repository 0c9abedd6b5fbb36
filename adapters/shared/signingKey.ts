/** Ed25519 (RFC 8032) from a seed of 32 bytes. */
import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { Signer } from '../../domain/ports.ts';

/** What stands before the seed in PKCS #8, and before the public key in SubjectPublicKeyInfo (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED_BYTES = 32;

export const makeSeed = (): Buffer => randomBytes(SEED_BYTES);

/** Throws RangeError where the seed has not 32 bytes. */
export function keyOfSeed(seed: Uint8Array): KeyObject {
  if (seed.byteLength !== SEED_BYTES) throw new RangeError(`a signing key has ${SEED_BYTES} bytes`);
  return createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
}

/** The public key's 32 bytes. */
export const publicBytes = (key: KeyObject): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-SEED_BYTES));

/** Reads its key when it is first needed; where that fails, again the next time. */
export function createSigner(readKey: () => Promise<KeyObject>): Signer {
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
  };
}
