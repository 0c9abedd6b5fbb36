/** Reads a GGUF file, or safetensors with configuration and tokenizer. */

import { z } from 'zod';
import type { Merge } from '../tokens/bytePairs.ts';
import { DIGITS, GPT2, type SplitStep } from '../tokens/bytePairs.ts';
import { halfToFloat } from './quantised.ts';
import { readGguf } from './readGguf.ts';
import {
  type Architecture,
  type BaseFiles,
  checkArchitecture,
  GAINS,
  type GainName,
  type LayerWeights,
  MATRICES,
  type MatrixName,
  matrixShape,
  type TextBase,
  TextBaseError,
} from './textBase.ts';

export const isBaseFile = (name: string): boolean =>
  name.endsWith('.gguf') || Object.values(SAFETENSORS_FILES).some((known) => known === name);

/** Throws TextBaseError with the problem and its place. */
export function readTextBase(files: BaseFiles): TextBase {
  const gguf = [...files].filter(([name]) => name.endsWith('.gguf'));
  if (gguf.length > 1) throw new TextBaseError(`there are ${gguf.length} GGUF files; name one of them in TEXT_BASE`);
  const [one] = gguf;
  if (!one) {
    if (files.has(SAFETENSORS_FILES.weights)) return readSafetensors(files);
    throw new TextBaseError('there is neither a GGUF file nor model.safetensors');
  }
  const [name, bytes] = one;
  try {
    return readGguf(bytes);
  } catch (error) {
    if (error instanceof TextBaseError) throw new TextBaseError(`${name}: ${error.message}`);
    throw error;
  }
}

// Files of Hugging Face libraries.

const configSchema = z.object({
  model_type: z.string(),
  hidden_size: z.number(),
  num_hidden_layers: z.number(),
  num_attention_heads: z.number(),
  num_key_value_heads: z.number().optional(),
  head_dim: z.number().nullish(),
  intermediate_size: z.number(),
  rms_norm_eps: z.number(),
  rope_theta: z.number().optional(),
  tie_word_embeddings: z.boolean().optional(),
  eos_token_id: z.union([z.number(), z.array(z.number()).min(1)]),
  attention_bias: z.boolean().optional(),
});

const preTokenizerSchema = z.object({
  type: z.string(),
  individual_digits: z.boolean().optional(),
  use_regex: z.boolean().optional(),
  behavior: z.string().optional(),
  pattern: z.object({ Regex: z.string().optional() }).optional(),
  pretokenizers: z.array(z.unknown()).optional(),
});

const tokenizerSchema = z.object({
  model: z.object({
    type: z.literal('BPE'),
    vocab: z.record(z.string(), z.int()),
    merges: z.array(z.union([z.string(), z.tuple([z.string(), z.string()])])),
  }),
  pre_tokenizer: z.unknown(),
});

const SAFETENSORS_FILES = {
  config: 'config.json',
  tokenizer: 'tokenizer.json',
  weights: 'model.safetensors',
} as const;

const TENSORS: Readonly<Record<MatrixName | GainName, string>> = {
  query: 'self_attn.q_proj',
  key: 'self_attn.k_proj',
  value: 'self_attn.v_proj',
  output: 'self_attn.o_proj',
  gate: 'mlp.gate_proj',
  up: 'mlp.up_proj',
  down: 'mlp.down_proj',
  attentionNorm: 'input_layernorm',
  hiddenNorm: 'post_attention_layernorm',
};

function readSafetensors(files: BaseFiles): TextBase {
  const config = parsed(files, SAFETENSORS_FILES.config, configSchema);
  if (config.model_type !== 'llama' || config.attention_bias || config.tie_word_embeddings === false) {
    throw new TextBaseError(
      `config.json describes a model of type ${JSON.stringify(config.model_type)}; only "llama" with tied embeddings and without biases can be read`,
    );
  }
  const { model, pre_tokenizer } = parsed(files, SAFETENSORS_FILES.tokenizer, tokenizerSchema);
  const tensors = openTensors(fileOf(files, SAFETENSORS_FILES.weights));
  const architecture = architectureOf(config);
  const { width } = architecture;
  const table = 'model.embed_tokens.weight';
  return {
    name: `a ${architecture.layers}-layer model of width ${width}`,
    architecture,
    tokenizer: { merges: model.merges.map(mergeOf), split: splitOf(pre_tokenizer) },
    pieces: new Map(Object.entries(model.vocab)),
    end: [config.eos_token_id].flat()[0]!,
    embedding: (piece) => tensors.read(table, [width], piece * width),
    weights: (layers) => ({
      layers: layers.map((layer) => layerOf(tensors, layer, architecture)),
      finalNorm: tensors.read('model.norm.weight', [width]),
    }),
  };
}

const architectureOf = (config: z.infer<typeof configSchema>): Architecture =>
  checkArchitecture({
    width: config.hidden_size,
    layers: config.num_hidden_layers,
    heads: config.num_attention_heads,
    keyHeads: config.num_key_value_heads ?? config.num_attention_heads,
    headWidth: config.head_dim ?? config.hidden_size / config.num_attention_heads,
    hidden: config.intermediate_size,
    ropeBase: config.rope_theta ?? 10_000,
    epsilon: config.rms_norm_eps,
  });

function layerOf(tensors: Tensors, layer: number, own: Architecture): LayerWeights {
  const named = (name: MatrixName | GainName): string => `model.layers.${layer}.${TENSORS[name]}.weight`;
  const matrix = (name: MatrixName): Float32Array => tensors.read(named(name), matrixShape(name, own));
  const gain = (name: GainName): Float32Array => tensors.read(named(name), [own.width]);
  const [query, key, value, output, gate, up, down] = MATRICES.map(matrix);
  const [attentionNorm, hiddenNorm] = GAINS.map(gain);
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

function fileOf(files: BaseFiles, name: string): Uint8Array {
  const bytes = files.get(name);
  if (!bytes) throw new TextBaseError(`the base has no file ${name}`);
  return bytes;
}

function jsonOf(bytes: Uint8Array, name: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new TextBaseError(`${name} is not valid JSON: it is damaged. Download it again.`);
  }
}

const parsed = <T>(files: BaseFiles, name: string, schema: z.ZodType<T>): T =>
  checked(schema, jsonOf(fileOf(files, name), name), name);

function checked<T>(schema: z.ZodType<T>, value: unknown, name: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const where = result.error.issues[0]!.path.join('.');
  throw new TextBaseError(`${name} is not as expected at ${where}: ${result.error.issues[0]!.message}`);
}

function mergeOf(merge: string | [string, string]): Merge {
  if (typeof merge !== 'string') return merge;
  const at = merge.indexOf(' ', 1);
  return [merge.slice(0, at), merge.slice(at + 1)];
}

/** Throws TextBaseError for unknown pre-tokenizers. */
function splitOf(value: unknown): SplitStep[] {
  const step = checked(preTokenizerSchema, value, 'tokenizer.json (pre_tokenizer)');
  if (step.type === 'Sequence') return (step.pretokenizers ?? []).flatMap(splitOf);
  if (step.type === 'ByteLevel') return step.use_regex === false ? [] : [GPT2];
  if (step.type === 'Digits' && step.individual_digits) return [DIGITS];
  if (step.type === 'Split' && step.pattern?.Regex !== undefined && step.behavior === 'Isolated') {
    return [expressionOf(step.pattern.Regex)];
  }
  throw new TextBaseError(`tokenizer.json splits words by ${JSON.stringify(step.type)} in a way that is not supported`);
}

function expressionOf(source: string): RegExp {
  try {
    return new RegExp(source, 'gu');
  } catch (cause) {
    throw new TextBaseError(`tokenizer.json splits words by an expression that cannot be read: ${source}`, { cause });
  }
}

const NAME = 'model.safetensors';

const headerSchema = z.record(
  z.string(),
  z.object({ dtype: z.string(), shape: z.array(z.int()), data_offsets: z.tuple([z.int(), z.int()]) }),
);
type Header = z.infer<typeof headerSchema>;

interface Tensors {
  /** With `first`, returns only entries from there. */
  read(name: string, shape: readonly number[], first?: number): Float32Array;
}

const READERS: Readonly<Record<string, { bytes: number; read(view: DataView, at: number): number }>> = {
  F32: { bytes: 4, read: (view, at) => view.getFloat32(at, true) },
  F16: { bytes: 2, read: (view, at) => halfToFloat(view.getUint16(at, true)) },
  BF16: { bytes: 2, read: (view, at) => bfloat(view.getUint16(at, true)) },
};

const scratch = new DataView(new ArrayBuffer(4));
function bfloat(half: number): number {
  scratch.setUint32(0, half << 16);
  return scratch.getFloat32(0);
}

/** Throws TextBaseError for damaged files. */
function openTensors(bytes: Uint8Array): Tensors {
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
        throw new TextBaseError(`tensor ${name} is of type ${tensor.dtype}; supported are ${known}`);
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
    throw new TextBaseError(`${NAME} has a header that cannot be read: it is damaged. Download it again.`);
  }
}

const cutOff = (): TextBaseError => new TextBaseError(`${NAME} ends early: it is incomplete. Download it again.`);
