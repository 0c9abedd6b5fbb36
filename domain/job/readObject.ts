import type { ObjectStore } from '../ports.ts';

/** A whole object in memory, or undefined where there is none. For small objects. */
export async function readObject(objects: ObjectStore, key: string): Promise<Uint8Array | undefined> {
  const found = await objects.get(key);
  if (!found) return undefined;
  const whole = new Uint8Array(found.bytes);
  let filled = 0;
  for await (const chunk of found.body) {
    whole.set(chunk, filled);
    filled += chunk.byteLength;
  }
  return whole;
}
