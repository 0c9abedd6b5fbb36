/** The container of safetensors files: a header of JSON, then the tensors' bytes. */
import { z } from 'zod';
import { halfToFloat } from './quantised.ts';
import { TextBaseError } from './textBase.ts';

const NAME = 'model.safetensors';

const headerSchema = z.record(
  z.string(),
  z.object({ dtype: z.string(), shape: z.array(z.int()), data_offsets: z.tuple([z.int(), z.int()]) }),
);
type Header = z.infer<typeof headerSchema>;

export interface Tensors {
  /** Values of a tensor of this shape; or as many of it, from entry `first` on. */
  read(name: string, shape: readonly number[], first?: number): Float32Array;
}

const READERS: Readonly<Record<string, { bytes: number; read(view: DataView, at: number): number }>> = {
  F32: { bytes: 4, read: (view, at) => view.getFloat32(at, true) },
  F16: { bytes: 2, read: (view, at) => halfToFloat(view.getUint16(at, true)) },
  BF16: { bytes: 2, read: (view, at) => bfloat(view.getUint16(at, true)) },
};

const scratch = new DataView(new ArrayBuffer(4));
/** The upper half of a single-precision number. */
function bfloat(half: number): number {
  scratch.setUint32(0, half << 16);
  return scratch.getFloat32(0);
}

/** Throws TextBaseError where the bytes end early, or their header is none. */
export function openTensors(bytes: Uint8Array): Tensors {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = bytes.length >= 8 ? Number(view.getBigUint64(0, true)) : Number.POSITIVE_INFINITY;
  if (8 + length > bytes.length) throw cutOff();
  const header = headerOf(bytes.subarray(8, 8 + length));
  return {
    read(name, shape, first) {
      const tensor = header[name];
      if (!tensor) throw new TextBaseError(`model.safetensors has no tensor ${name}`);
      const reader = READERS[tensor.dtype];
      if (!reader) {
        const known = Object.keys(READERS).join(', ');
        throw new TextBaseError(`tensor ${name} is of type ${tensor.dtype}; known are ${known}`);
      }
      if (first === undefined && tensor.shape.join() !== shape.join()) {
        throw new TextBaseError(`tensor ${name} has lengths ${tensor.shape.join(' × ')}, not ${shape.join(' × ')}`);
      }
      const count = shape.reduce((a, b) => a * b, 1);
      const at = 8 + length + tensor.data_offsets[0] + (first ?? 0) * reader.bytes;
      if (at + count * reader.bytes > bytes.length) throw cutOff();
      return Float32Array.from({ length: count }, (_, k) => reader.read(view, at + k * reader.bytes));
    },
  };
}

function headerOf(bytes: Uint8Array): Header {
  try {
    const { __metadata__: _, ...tensors } = z
      .record(z.string(), z.unknown())
      .parse(JSON.parse(new TextDecoder().decode(bytes)));
    return headerSchema.parse(tensors);
  } catch {
    throw new TextBaseError(`${NAME} has a header that cannot be read: it is damaged. Fetch it again.`);
  }
}

const cutOff = (): TextBaseError => new TextBaseError(`${NAME} ends early: it is cut off. Fetch it again.`);
