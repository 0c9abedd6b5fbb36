/** The container of GGUF files (version 2 and 3): values by key, and where each tensor lies. */
import { ENCODINGS, type Encoding } from './quantised.ts';
import { TextBaseError } from './textBase.ts';

export type GgufValue = number | boolean | string | readonly GgufValue[];

export interface GgufTensor {
  name: string;
  /** Lengths, the fastest axis first. */
  lengths: readonly number[];
  encoding: Encoding;
  /** First byte, from the file's start. */
  at: number;
}

export interface GgufFile {
  values: ReadonlyMap<string, GgufValue>;
  tensors: ReadonlyMap<string, GgufTensor>;
  bytes: Uint8Array;
}

/** Entries of one list, at most: vocabularies have some hundred thousand. */
const LONGEST_LIST = 2_000_000;
const DEFAULT_ALIGNMENT = 32;
/** Depth of lists in lists, at most. */
const DEEPEST = 4;

/** Throws TextBaseError where the bytes are no GGUF file, or one that ends early. */
export function readGgufFile(bytes: Uint8Array): GgufFile {
  const reader = createReader(bytes);
  if (reader.ascii(4) !== 'GGUF') throw new TextBaseError('the file does not begin with "GGUF"');
  const version = reader.uint(4);
  if (version !== 2 && version !== 3) throw new TextBaseError(`GGUF version ${version}; versions 2 and 3 are known`);
  const tensorCount = reader.uint(8);
  const valueCount = reader.uint(8);
  const values = new Map<string, GgufValue>();
  for (let k = 0; k < valueCount; k++) values.set(reader.text(), reader.value(reader.uint(4), 0));
  const found: Omit<GgufTensor, 'at'>[] = [];
  const offsets: number[] = [];
  for (let k = 0; k < tensorCount; k++) {
    const name = reader.text();
    const lengths = Array.from({ length: Math.min(8, reader.uint(4)) }, () => reader.uint(8));
    const type = reader.uint(4);
    const encoding = ENCODINGS.get(type);
    if (!encoding) {
      const known = [...ENCODINGS.values()].map((one) => one.name).join(', ');
      throw new TextBaseError(`tensor ${name} is encoded as ggml type ${type}; known are ${known}`);
    }
    found.push({ name, lengths, encoding });
    offsets.push(reader.uint(8));
  }
  const alignment = values.get('general.alignment');
  const step = typeof alignment === 'number' && alignment > 0 ? alignment : DEFAULT_ALIGNMENT;
  const start = Math.ceil(reader.place() / step) * step;
  return {
    values,
    tensors: new Map(found.map((tensor, k) => [tensor.name, { ...tensor, at: start + offsets[k]! }])),
    bytes,
  };
}

interface Reader {
  place(): number;
  ascii(length: number): string;
  uint(size: 4 | 8): number;
  text(): string;
  value(type: number, depth: number): GgufValue;
}

function createReader(bytes: Uint8Array): Reader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const take = (size: number): number => {
    if (at + size > bytes.length)
      throw new TextBaseError('the file ends inside of its header: it is cut off. Fetch it again.');
    at += size;
    return at - size;
  };
  const uint = (size: 4 | 8): number => {
    const place = take(size);
    return size === 4 ? view.getUint32(place, true) : Number(view.getBigUint64(place, true));
  };
  const text = (): string => {
    const length = uint(8);
    const place = take(length);
    return new TextDecoder().decode(bytes.subarray(place, place + length));
  };
  const numbers: Readonly<Record<number, () => GgufValue>> = {
    0: () => view.getUint8(take(1)),
    1: () => view.getInt8(take(1)),
    2: () => view.getUint16(take(2), true),
    3: () => view.getInt16(take(2), true),
    4: () => view.getUint32(take(4), true),
    5: () => view.getInt32(take(4), true),
    6: () => view.getFloat32(take(4), true),
    7: () => view.getUint8(take(1)) !== 0,
    8: text,
    10: () => Number(view.getBigUint64(take(8), true)),
    11: () => Number(view.getBigInt64(take(8), true)),
    12: () => view.getFloat64(take(8), true),
  };
  const value = (type: number, depth: number): GgufValue => {
    if (type === 9) {
      const own = uint(4);
      const length = uint(8);
      if (length > LONGEST_LIST || depth > DEEPEST)
        throw new TextBaseError(`the header has a list of ${length} entries`);
      const list: GgufValue[] = [];
      for (let k = 0; k < length; k++) list.push(value(own, depth + 1));
      return list;
    }
    const read = numbers[type];
    if (!read) throw new TextBaseError(`the header has a value of unknown type ${type}`);
    return read();
  };
  return {
    place: () => at,
    ascii: (length) => String.fromCharCode(...bytes.subarray(take(length), at)),
    uint,
    text,
    value,
  };
}
