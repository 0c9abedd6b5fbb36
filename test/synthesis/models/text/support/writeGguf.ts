/** Writes GGUF files: values by key, and tensors in any of the encodings that are read. */
import { GAINS, MATRICES, matrixShape } from '../../../../../packages/synthesis/models/text/base/textBase.ts';
import { MERGES, PIECES, SMALL, SMALL_TABLE, SMALL_WEIGHTS } from './smallBase.ts';

type Value = number | string | boolean | { float: number } | string[];

export interface GgufTensorParts {
  name: string;
  /** The fastest axis first. */
  lengths: number[];
  type: number;
  bytes: Uint8Array;
}

const encoder = new TextEncoder();
const u32 = (value: number): number[] => [...new Uint8Array(Uint32Array.of(value).buffer)];
const u64 = (value: number): number[] => [...new Uint8Array(BigUint64Array.of(BigInt(value)).buffer)];
const f32 = (value: number): number[] => [...new Uint8Array(Float32Array.of(value).buffer)];
const text = (value: string): number[] => [...u64(encoder.encode(value).length), ...encoder.encode(value)];

function valueBytes(value: Value): number[] {
  if (typeof value === 'string') return [...u32(8), ...text(value)];
  if (typeof value === 'number') return [...u32(4), ...u32(value)];
  if (typeof value === 'boolean') return [...u32(7), value ? 1 : 0];
  if (Array.isArray(value)) return [...u32(9), ...u32(8), ...u64(value.length), ...value.flatMap(text)];
  return [...u32(6), ...f32(value.float)];
}

export function writeGguf(values: Record<string, Value>, tensors: readonly GgufTensorParts[]): Uint8Array {
  const head: number[] = [
    ...encoder.encode('GGUF'),
    ...u32(3),
    ...u64(tensors.length),
    ...u64(Object.keys(values).length),
  ];
  for (const [key, value] of Object.entries(values)) head.push(...text(key), ...valueBytes(value));
  let offset = 0;
  for (const { name, lengths, type, bytes } of tensors) {
    head.push(...text(name), ...u32(lengths.length), ...lengths.flatMap(u64), ...u32(type), ...u64(offset));
    offset += 32 * Math.ceil(bytes.length / 32);
  }
  const start = 32 * Math.ceil(head.length / 32);
  const out = new Uint8Array(start + offset);
  out.set(head);
  let at = start;
  for (const { bytes } of tensors) {
    out.set(bytes, at);
    at += 32 * Math.ceil(bytes.length / 32);
  }
  return out;
}

export const floatBytes = (values: Float32Array): Uint8Array =>
  new Uint8Array(values.buffer.slice(values.byteOffset, values.byteOffset + values.byteLength));

/** llama.cpp's order of the rows of queries and keys: pairs that a rotary position turns stand beside each other. */
function permuted(values: Float32Array): Float32Array {
  const { headWidth, width } = SMALL;
  const out = new Float32Array(values.length);
  for (let head = 0; head < values.length / width / headWidth; head++) {
    for (let k = 0; k < headWidth; k++) {
      const from = head * headWidth + (k % 2) * (headWidth / 2) + Math.floor(k / 2);
      out.set(values.subarray(from * width, (from + 1) * width), (head * headWidth + k) * width);
    }
  }
  return out;
}

const NAMES = {
  query: 'attn_q',
  key: 'attn_k',
  value: 'attn_v',
  output: 'attn_output',
  gate: 'ffn_gate',
  up: 'ffn_up',
  down: 'ffn_down',
  attentionNorm: 'attn_norm',
  hiddenNorm: 'ffn_norm',
} as const;

export const SMALL_VALUES: Record<string, Value> = {
  'general.architecture': 'llama',
  'general.name': 'small',
  'llama.embedding_length': SMALL.width,
  'llama.block_count': SMALL.layers,
  'llama.attention.head_count': SMALL.heads,
  'llama.attention.head_count_kv': SMALL.keyHeads,
  'llama.feed_forward_length': SMALL.hidden,
  'llama.rope.freq_base': { float: SMALL.ropeBase },
  'llama.attention.layer_norm_rms_epsilon': { float: SMALL.epsilon },
  'tokenizer.ggml.model': 'gpt2',
  'tokenizer.ggml.pre': 'smollm',
  'tokenizer.ggml.tokens': PIECES,
  'tokenizer.ggml.merges': MERGES.map((merge) => merge.join(' ')),
  'tokenizer.ggml.eos_token_id': 0,
};

export function smallTensors(): GgufTensorParts[] {
  const float = (name: string, lengths: number[], values: Float32Array): GgufTensorParts => ({
    name,
    lengths,
    type: 0,
    bytes: floatBytes(values),
  });
  const layers = SMALL_WEIGHTS.layers.flatMap((own, layer) => [
    ...MATRICES.map((name) => {
      const values = name === 'query' || name === 'key' ? permuted(own[name]) : own[name];
      return float(`blk.${layer}.${NAMES[name]}.weight`, matrixShape(name, SMALL).toReversed(), values);
    }),
    ...GAINS.map((name) => float(`blk.${layer}.${NAMES[name]}.weight`, [SMALL.width], own[name])),
  ]);
  const table = float('token_embd.weight', [SMALL.width, PIECES.length], SMALL_TABLE);
  return [table, ...layers, float('output_norm.weight', [SMALL.width], SMALL_WEIGHTS.finalNorm)];
}

export const smallGguf = (): Uint8Array => writeGguf(SMALL_VALUES, smallTensors());
