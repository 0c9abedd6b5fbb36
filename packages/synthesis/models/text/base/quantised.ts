/** GGUF tensors (F32, F16, Q8_0, Q4_0, Q4_1), in ggml's blocks of 32. */
import { TextBaseError } from './textBase.ts';

export interface Encoding {
  name: string;
  /** Per block. */
  values: number;
  bytes: number;
  read(view: DataView, at: number, out: Float32Array, to: number): unknown;
}

export function halfToFloat(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}

const halfAt = (view: DataView, at: number): number => halfToFloat(view.getUint16(at, true));

/** Low halves come first. */
function readNibbles(view: DataView, at: number, out: Float32Array, to: number, scale: number, offset: number): void {
  for (let k = 0; k < 16; k++) {
    const byte = view.getUint8(at + k);
    out[to + k] = (byte & 15) * scale + offset;
    out[to + k + 16] = (byte >> 4) * scale + offset;
  }
}

/** By ggml type. */
export const ENCODINGS: ReadonlyMap<number, Encoding> = new Map([
  [
    0,
    { name: 'F32', values: 1, bytes: 4, read: (view, at, out, to) => out.fill(view.getFloat32(at, true), to, to + 1) },
  ],
  [1, { name: 'F16', values: 1, bytes: 2, read: (view, at, out, to) => out.fill(halfAt(view, at), to, to + 1) }],
  [
    2,
    {
      name: 'Q4_0',
      values: 32,
      bytes: 18,
      read: (view, at, out, to) => {
        const scale = halfAt(view, at);
        readNibbles(view, at + 2, out, to, scale, -8 * scale);
      },
    },
  ],
  [
    3,
    {
      name: 'Q4_1',
      values: 32,
      bytes: 20,
      read: (view, at, out, to) => readNibbles(view, at + 4, out, to, halfAt(view, at), halfAt(view, at + 2)),
    },
  ],
  [
    8,
    {
      name: 'Q8_0',
      values: 32,
      bytes: 34,
      read: (view, at, out, to) => {
        const scale = halfAt(view, at);
        for (let k = 0; k < 32; k++) out[to + k] = view.getInt8(at + 2 + k) * scale;
      },
    },
  ],
] satisfies [number, Encoding][]);

/** Throws TextBaseError if the file ends early. */
export function decode(encoding: Encoding, bytes: Uint8Array, at: number, count: number, tensor: string): Float32Array {
  const blocks = count / encoding.values;
  if (!Number.isInteger(blocks)) {
    throw new TextBaseError(`tensor ${tensor} has ${count} values, not a whole number of blocks of ${encoding.name}`);
  }
  if (at + blocks * encoding.bytes > bytes.length) {
    throw new TextBaseError(`the file ends inside tensor ${tensor}: it is incomplete. Download it again.`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const out = new Float32Array(count);
  for (let block = 0; block < blocks; block++) {
    encoding.read(view, at + block * encoding.bytes, out, block * encoding.values);
  }
  return out;
}
