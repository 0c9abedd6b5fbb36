import type { Merge } from '../tokens/bytePairs.ts';
import { SPLITS } from '../tokens/bytePairs.ts';
import { decode, ENCODINGS, type Encoding } from './quantised.ts';
import {
  type Architecture,
  checkArchitecture,
  GAINS,
  type LayerWeights,
  MATRICES,
  type MatrixName,
  matrixShape,
  type TextBase,
  TextBaseError,
} from './textBase.ts';

const TENSORS: Readonly<Record<MatrixName | (typeof GAINS)[number], string>> = {
  query: 'attn_q',
  key: 'attn_k',
  value: 'attn_v',
  output: 'attn_output',
  gate: 'ffn_gate',
  up: 'ffn_up',
  down: 'ffn_down',
  attentionNorm: 'attn_norm',
  hiddenNorm: 'ffn_norm',
};

/** Throws TextBaseError for damaged files or other architectures. */
export function readGguf(bytes: Uint8Array): TextBase {
  const file = readGgufFile(bytes);
  const own = textField(file, 'general.architecture');
  if (own !== 'llama') {
    throw new TextBaseError(
      `the file holds a model of the architecture ${JSON.stringify(own)}; only "llama" can be read`,
    );
  }
  const architecture = architectureOf(file);
  const embeddings = tensorOf(file, 'token_embd.weight');
  const pieces = new Map(listOf(file, 'tokenizer.ggml.tokens').map((piece, id) => [piece, id]));
  return {
    name: nameOf(file),
    architecture,
    tokenizer: { merges: mergesOf(file), split: splitOf(file) },
    pieces,
    end: numberOf(file, 'tokenizer.ggml.eos_token_id'),
    embedding: (piece) => rowOf(file, embeddings, piece, architecture.width),
    weights: (layers) => ({
      layers: layers.map((layer) => layerOf(file, layer, architecture)),
      finalNorm: valuesOf(file, 'output_norm.weight', [architecture.width]),
    }),
  };
}

function architectureOf(file: GgufFile): Architecture {
  const width = numberOf(file, 'llama.embedding_length');
  const heads = numberOf(file, 'llama.attention.head_count');
  const optional = (key: string, otherwise: number): number => {
    const value = file.values.get(key);
    return typeof value === 'number' ? value : otherwise;
  };
  return checkArchitecture({
    width,
    layers: numberOf(file, 'llama.block_count'),
    heads,
    keyHeads: optional('llama.attention.head_count_kv', heads),
    headWidth: optional('llama.attention.key_length', width / heads),
    hidden: numberOf(file, 'llama.feed_forward_length'),
    ropeBase: optional('llama.rope.freq_base', 10_000),
    epsilon: numberOf(file, 'llama.attention.layer_norm_rms_epsilon'),
  });
}

function layerOf(file: GgufFile, layer: number, own: Architecture): LayerWeights {
  const named = (name: MatrixName | (typeof GAINS)[number]): string => `blk.${layer}.${TENSORS[name]}.weight`;
  const matrices = MATRICES.map((name): [MatrixName, Float32Array] => {
    const values = valuesOf(file, named(name), matrixShape(name, own).toReversed());
    return [name, name === 'query' || name === 'key' ? unpermuted(values, own) : values];
  });
  const gains = GAINS.map((name) => [name, valuesOf(file, named(name), [own.width])] as const);
  const { query, key, value, output, gate, up, down } = Object.fromEntries(matrices);
  const { attentionNorm, hiddenNorm } = Object.fromEntries(gains);
  return {
    query: query!,
    key: key!,
    value: value!,
    output: output!,
    gate: gate!,
    up: up!,
    down: down!,
    attentionNorm: attentionNorm!,
    hiddenNorm: hiddenNorm!,
  };
}

/** llama.cpp stores rotary pairs adjacently; here they are half a head apart. */
function unpermuted(values: Float32Array, { headWidth, width }: Architecture): Float32Array {
  const out = new Float32Array(values.length);
  const half = headWidth / 2;
  const rows = values.length / width;
  for (let row = 0; row < rows; row++) {
    const within = row % headWidth;
    const to = row - within + (within % 2) * half + (within >> 1);
    out.set(values.subarray(row * width, (row + 1) * width), to * width);
  }
  return out;
}

function tensorOf(file: GgufFile, name: string): GgufTensor {
  const tensor = file.tensors.get(name);
  if (!tensor) throw new TextBaseError(`the file has no tensor ${name}`);
  return tensor;
}

function valuesOf(file: GgufFile, name: string, lengths: readonly number[]): Float32Array {
  const tensor = tensorOf(file, name);
  if (tensor.lengths.join() !== lengths.join()) {
    throw new TextBaseError(`tensor ${name} has lengths ${tensor.lengths.join(' × ')}, not ${lengths.join(' × ')}`);
  }
  return decode(
    tensor.encoding,
    file.bytes,
    tensor.at,
    lengths.reduce((a, b) => a * b, 1),
    name,
  );
}

function rowOf(file: GgufFile, { encoding, at, name }: GgufTensor, row: number, width: number): Float32Array {
  return decode(encoding, file.bytes, at + (row * width * encoding.bytes) / encoding.values, width, name);
}

function textField({ values }: GgufFile, key: string): string {
  const value = values.get(key);
  if (typeof value !== 'string') throw new TextBaseError(`the file's header has no text ${key}`);
  return value;
}

function numberOf({ values }: GgufFile, key: string): number {
  const value = values.get(key);
  if (typeof value !== 'number') throw new TextBaseError(`the file's header has no number ${key}`);
  return value;
}

function listOf({ values }: GgufFile, key: string): string[] {
  const value = values.get(key);
  if (!Array.isArray(value)) throw new TextBaseError(`the file's header has no list ${key}`);
  return value.filter((entry) => typeof entry === 'string');
}

function nameOf({ values }: GgufFile): string {
  const name = values.get('general.name');
  return typeof name === 'string' ? name : 'a model of the Llama family';
}

function mergesOf(file: GgufFile): Merge[] {
  const model = textField(file, 'tokenizer.ggml.model');
  if (model !== 'gpt2')
    throw new TextBaseError(
      `the file's tokenizer is ${JSON.stringify(model)}; only byte-level BPE ("gpt2") can be read`,
    );
  return listOf(file, 'tokenizer.ggml.merges').map((merge) => {
    const at = merge.indexOf(' ', 1);
    return [merge.slice(0, at), merge.slice(at + 1)] as const;
  });
}

function splitOf({ values }: GgufFile): readonly RegExp[] {
  const name = values.get('tokenizer.ggml.pre') ?? 'default';
  const split = typeof name === 'string' ? SPLITS[name] : undefined;
  if (split) return split;
  throw new TextBaseError(
    `the tokenizer splits words as ${JSON.stringify(name)}; supported are ${Object.keys(SPLITS).join(', ')}`,
  );
}

// GGUF container, versions 2 and 3.

type GgufValue = number | boolean | string | readonly GgufValue[];

interface GgufTensor {
  name: string;
  /** Fastest axis first. */
  lengths: readonly number[];
  encoding: Encoding;
  /** Offset in the file. */
  at: number;
}

interface GgufFile {
  values: ReadonlyMap<string, GgufValue>;
  tensors: ReadonlyMap<string, GgufTensor>;
  bytes: Uint8Array;
}

const LONGEST_LIST = 2_000_000;
const DEFAULT_ALIGNMENT = 32;
const DEEPEST = 4;

/** Throws TextBaseError for damaged files. */
function readGgufFile(bytes: Uint8Array): GgufFile {
  const reader = createReader(bytes);
  if (reader.ascii(4) !== 'GGUF') throw new TextBaseError('the file does not begin with "GGUF"');
  const version = reader.uint(4);
  if (version !== 2 && version !== 3) throw new TextBaseError(`GGUF version ${version}; versions 2 and 3 can be read`);
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
      throw new TextBaseError(`tensor ${name} is encoded as ggml type ${type}; supported are ${known}`);
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
      throw new TextBaseError('the file ends inside its header: it is incomplete. Download it again.');
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
