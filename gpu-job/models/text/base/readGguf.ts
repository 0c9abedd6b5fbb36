/** A base from one GGUF file of the Llama architecture, as llama.cpp writes them. */

import type { Merge } from '../tokens/bytePairs.ts';
import { SPLITS } from '../tokens/splitWords.ts';
import {
  type Architecture,
  checkArchitecture,
  GAINS,
  type LayerWeights,
  MATRICES,
  type MatrixName,
  matrixShape,
} from './architecture.ts';
import { type GgufFile, type GgufTensor, readGgufFile } from './ggufFile.ts';
import { decode } from './quantised.ts';
import { type TextBase, TextBaseError } from './textBase.ts';

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

/** Throws TextBaseError where the file is damaged, or of another architecture. */
export function readGguf(bytes: Uint8Array): TextBase {
  const file = readGgufFile(bytes);
  const own = textOf(file, 'general.architecture');
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

/**
 * llama.cpp keeps the two entries that a rotary position turns beside each other; here, as in the model's own files, they
 * stand half a head apart.
 */
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

function textOf({ values }: GgufFile, key: string): string {
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
  const model = textOf(file, 'tokenizer.ggml.model');
  if (model !== 'gpt2')
    throw new TextBaseError(`the file's tokenizer is ${JSON.stringify(model)}; only byte-level BPE ("gpt2") is known`);
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
    `the tokenizer cuts words as ${JSON.stringify(name)}; known are ${Object.keys(SPLITS).join(', ')}`,
  );
}
