/** The small base as Hugging Face's libraries would write it. */
import { GAINS, MATRICES, matrixShape } from '../../../../../packages/synthesis/models/text/base/textBase.ts';
import { MERGES, PIECES, SMALL, SMALL_TABLE, SMALL_WEIGHTS } from './smallBase.ts';
import { floatBytes } from './writeGguf.ts';

const NAMES = {
  query: 'self_attn.q_proj',
  key: 'self_attn.k_proj',
  value: 'self_attn.v_proj',
  output: 'self_attn.o_proj',
  gate: 'mlp.gate_proj',
  up: 'mlp.up_proj',
  down: 'mlp.down_proj',
  attentionNorm: 'input_layernorm',
  hiddenNorm: 'post_attention_layernorm',
} as const;

export const SMALL_CONFIG = {
  model_type: 'llama',
  hidden_size: SMALL.width,
  num_hidden_layers: SMALL.layers,
  num_attention_heads: SMALL.heads,
  num_key_value_heads: SMALL.keyHeads,
  intermediate_size: SMALL.hidden,
  rms_norm_eps: SMALL.epsilon,
  rope_theta: SMALL.ropeBase,
  tie_word_embeddings: true,
  eos_token_id: 0,
};

const TOKENIZER = {
  model: {
    type: 'BPE',
    vocab: Object.fromEntries(PIECES.map((piece, id) => [piece, id])),
    merges: MERGES.map((merge) => merge.join(' ')),
  },
  pre_tokenizer: {
    type: 'Sequence',
    pretokenizers: [
      { type: 'Digits', individual_digits: true },
      { type: 'ByteLevel', add_prefix_space: false, use_regex: true },
    ],
  },
};

export const jsonBytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

export function smallSafetensors(): Map<string, Uint8Array> {
  const tensors: [string, readonly number[], Float32Array][] = [
    ['model.embed_tokens.weight', [PIECES.length, SMALL.width], SMALL_TABLE],
    ['model.norm.weight', [SMALL.width], SMALL_WEIGHTS.finalNorm],
    ...SMALL_WEIGHTS.layers.flatMap((own, layer) => [
      ...MATRICES.map((name): [string, readonly number[], Float32Array] => [
        `model.layers.${layer}.${NAMES[name]}.weight`,
        matrixShape(name, SMALL),
        own[name],
      ]),
      ...GAINS.map((name): [string, readonly number[], Float32Array] => [
        `model.layers.${layer}.${NAMES[name]}.weight`,
        [SMALL.width],
        own[name],
      ]),
    ]),
  ];
  let at = 0;
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  for (const [name, shape, values] of tensors) {
    header[name] = { dtype: 'F32', shape, data_offsets: [at, at + values.byteLength] };
    at += values.byteLength;
  }
  const head = jsonBytes(header);
  const weights = new Uint8Array(8 + head.length + at);
  weights.set(new Uint8Array(BigUint64Array.of(BigInt(head.length)).buffer));
  weights.set(head, 8);
  let to = 8 + head.length;
  for (const [, , values] of tensors) {
    weights.set(floatBytes(values), to);
    to += values.byteLength;
  }
  return new Map([
    ['config.json', jsonBytes(SMALL_CONFIG)],
    ['tokenizer.json', jsonBytes(TOKENIZER)],
    ['model.safetensors', weights],
  ]);
}
