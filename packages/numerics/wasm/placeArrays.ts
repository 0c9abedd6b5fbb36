import { type Compiled, createMemory, instantiate, PAGE } from './assemble.ts';

/** Bytes of a 32-bit number. */
export const SIZE = 4;
const ALIGNMENT = 16;

export interface Placed<Numbers> {
  at: number;
  values: Numbers;
}

interface Wanted<Numbers> {
  Kind: new (memory: SharedArrayBuffer, at: number, length: number) => Numbers;
  bytes: number;
  length: number;
}

export const floats = (length: number): Wanted<Float32Array> => ({ Kind: Float32Array, bytes: SIZE, length });
export const doubles = (length: number): Wanted<Float64Array> => ({ Kind: Float64Array, bytes: 8, length });
export const integers = (length: number): Wanted<Int32Array> => ({ Kind: Int32Array, bytes: SIZE, length });
export const counts = (length: number): Wanted<Uint32Array> => ({ Kind: Uint32Array, bytes: SIZE, length });
export const bytes = (length: number): Wanted<Uint8Array> => ({ Kind: Uint8Array, bytes: 1, length });

type PlacedBy<Arrays> = {
  [Name in keyof Arrays]: Arrays[Name] extends Wanted<infer Numbers> ? Placed<Numbers> : never;
};

/** Throws a RangeError if memory is too small. */
export function placeArrays<Arrays extends Record<string, Wanted<unknown>>>(
  module: Uint8Array<ArrayBuffer>,
  arrays: Arrays,
): { kernels: Compiled; placed: PlacedBy<Arrays> } {
  const wanted = Object.entries(arrays);
  const sizeOf = (one: Wanted<unknown>): number => Math.ceil((one.length * one.bytes) / ALIGNMENT) * ALIGNMENT;
  const pages = Math.max(1, Math.ceil(wanted.reduce((sum, [, one]) => sum + sizeOf(one), 0) / PAGE));
  const memory = createMemory(pages, pages);
  let next = 0;
  const placed = wanted.map(([name, one]) => {
    const at = next;
    next += sizeOf(one);
    return [name, { at, values: new one.Kind(memory.buffer, at, one.length) }];
  });
  // Each name keeps its array type.
  return { kernels: instantiate(module, memory), placed: Object.fromEntries(placed) as PlacedBy<Arrays> };
}
