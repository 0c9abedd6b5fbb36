import { createHash } from 'node:crypto';

export interface Hashed {
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
}

/** Passes the bytes through; calls `onEnd` with the hash of `salt` and bytes only if they are read to the end. */
export async function* hashed(
  bytes: AsyncIterable<Uint8Array>,
  onEnd: (found: Hashed) => void,
  salt: Uint8Array = NO_SALT,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256').update(salt);
  let count = 0;
  for await (const chunk of bytes) {
    hash.update(chunk);
    count += chunk.byteLength;
    yield chunk;
  }
  onEnd({ bytes: count, sha256: hash.digest('hex') });
}

const NO_SALT = new Uint8Array();

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export async function hashOf(bytes: AsyncIterable<Uint8Array>, salt?: Uint8Array): Promise<Hashed> {
  let found: Hashed | undefined;
  const keep = (own: Hashed): void => {
    found = own;
  };
  for await (const _ of hashed(bytes, keep, salt));
  if (!found) throw new Error('a stream ended without its end');
  return found;
}
