/** Files as accidents and attackers make them: bytes of real ones flipped, cut, repeated and spliced. */
import type { RandomStream } from '../../packages/numerics/random/stream.ts';

/** Bytes that mean something to a reader. */
const TELLING = [0x00, 0x09, 0x0a, 0x0d, 0x22, 0x23, 0x2c, 0x3b, 0x50, 0x7c, 0x80, 0xc3, 0xef, 0xfe, 0xff];
/** Bytes that a mutated file has at most. */
const LONGEST = 2 ** 18;

type Mutation = (bytes: Uint8Array, other: Uint8Array, random: RandomStream) => Uint8Array;

const place = (bytes: Uint8Array, random: RandomStream): number => random.integer(bytes.length + 1);

const joined = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

const flip: Mutation = (bytes, _, random) => {
  const flipped = bytes.slice();
  for (let left = 1 + random.integer(8); left > 0 && flipped.length > 0; left--) {
    flipped[random.integer(flipped.length)]! ^= 1 << random.integer(8);
  }
  return flipped;
};

const put: Mutation = (bytes, _, random) => {
  const changed = bytes.slice();
  for (let left = 1 + random.integer(8); left > 0 && changed.length > 0; left--) {
    changed[random.integer(changed.length)] = TELLING[random.integer(TELLING.length)]!;
  }
  return changed;
};

const cut: Mutation = (bytes, _, random) => bytes.slice(0, place(bytes, random));

const takeOut: Mutation = (bytes, _, random) => {
  const start = place(bytes, random);
  return joined(bytes.subarray(0, start), bytes.subarray(start + random.integer(64)));
};

const repeat: Mutation = (bytes, _, random) => {
  const start = place(bytes, random);
  const end = start + random.integer(256);
  return joined(bytes.subarray(0, end), bytes.subarray(start));
};

const splice: Mutation = (bytes, other, random) =>
  joined(bytes.subarray(0, place(bytes, random)), other.subarray(place(other, random)));

const MUTATIONS: readonly Mutation[] = [flip, put, cut, takeOut, repeat, splice];

/** One to four mutations of one of `files`, one after the other; the same stream gives the same file. */
export function mutate(files: readonly Uint8Array[], random: RandomStream): Uint8Array {
  const any = (): Uint8Array => files[random.integer(files.length)]!;
  let bytes = any();
  for (let left = 1 + random.integer(4); left > 0; left--) {
    const mutation = MUTATIONS[random.integer(MUTATIONS.length)]!;
    bytes = mutation(bytes, any(), random).slice(0, LONGEST);
  }
  return bytes;
}
