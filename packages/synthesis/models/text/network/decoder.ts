import {
  createGraph,
  type Executable,
  type Feeds,
  type Graph,
  input,
  OPEN,
  type Program,
  type Tensor,
  type TensorEngine,
} from '../../../../numerics/tensor/graph.ts';
import { add, scale } from '../../../../numerics/tensor/operators/elementwise.ts';
import { matMul } from '../../../../numerics/tensor/operators/matrix.ts';
import { softmax } from '../../../../numerics/tensor/operators/network.ts';
import { concat, reshape, split } from '../../../../numerics/tensor/operators/shapes.ts';
import type { Architecture } from '../base/textBase.ts';
import {
  lastNorm,
  layer,
  type PlainWeights,
  plainFeeds,
  plainSource,
  rotaryTables,
  rotate,
  turnMatrix,
  type WeightSource,
} from './network.ts';
import { quantisedFeeds, quantisedSource, spread } from './quantised.ts';

export interface Decoder {
  readonly slots: number;
  clear(slot: number): void;
  /** Drops the last tokens, which must not be conditions. */
  rewind(slot: number, tokens: number): void;
  /** Keeps only these slots, in this order; tokens then cost less. */
  narrow(kept: readonly number[]): Promise<void>;
  /** Returns probabilities (or logits) of each next token, [slots, pieces]. */
  read(tokens: ArrayLike<number>): Promise<Float32Array>;
  release(): Promise<void>;
}

export interface DecoderOptions {
  slots: number;
  /** Without it, returns logits. */
  temperature?: number;
  /** Defaults to true on a CPU. */
  isQuantised?: boolean;
  yieldToEventLoop?: (() => Promise<void>) | undefined;
}

export function createDecoder(
  engine: TensorEngine,
  architecture: Architecture,
  weights: PlainWeights,
  options: DecoderOptions,
): Decoder {
  const { temperature, isQuantised = !engine.isGpu, yieldToEventLoop = async () => {} } = options;
  let { slots } = options;
  const { width } = architecture;
  const pieces = weights.pieces.length / width;
  const tableOf = (rows: Float32Array): Float32Array => (isQuantised ? spreadRows(rows, width) : rows);
  const [pieceRows, conditionRows, shortcutRows] = [weights.pieces, weights.conditions, weights.shortcuts].map(tableOf);
  const cache = createKeyValueCache(architecture, slots);
  let x = new Float32Array(slots * width);
  let conditionSum = new Float32Array(slots * width);
  // Released once quantised.
  let plain: PlainWeights | undefined = weights;
  let feeds: Feeds = {};
  let executable: Executable | undefined;

  const compile = (): Promise<Executable> =>
    engine.compile(decodingProgram(architecture, { pieces, slots, isQuantised, temperature }), feeds);

  const start = async (from: PlainWeights): Promise<void> => {
    plain = undefined;
    feeds = isQuantised ? await quantisedFeeds(from, architecture, yieldToEventLoop) : plainFeeds(from);
    executable = await compile();
  };

  const rowOf = (table: Float32Array | undefined, row: number): Float32Array =>
    table!.subarray(row * width, (row + 1) * width);

  const embed = (tokens: ArrayLike<number>): void => {
    for (let slot = 0; slot < slots; slot++) {
      const token = tokens[slot]!;
      const at = slot * width;
      if (token < pieces) {
        x.set(rowOf(pieceRows, token), at);
        continue;
      }
      x.set(rowOf(conditionRows, token - pieces), at);
      rowOf(shortcutRows, token - pieces).forEach((entry, k) => {
        conditionSum[at + k]! += entry;
      });
    }
  };

  return {
    get slots() {
      return slots;
    },
    clear(slot) {
      cache.clear(slot);
      conditionSum.fill(0, slot * width, (slot + 1) * width);
    },
    rewind: (slot, tokens) => cache.rewind(slot, tokens),
    async narrow(kept) {
      slots = kept.length;
      cache.narrow(kept);
      x = new Float32Array(slots * width);
      conditionSum = blocksOf(conditionSum, width, kept);
      if (plain) return;
      await executable?.release();
      executable = await compile();
    },
    async read(tokens) {
      if (plain) await start(plain);
      if (!executable) throw new Error('the decoder was released');
      embed(tokens);
      const { reports } = await executable.run({ x, conditionSum, ...cache.feeds() }, 1);
      cache.keep(reports.kept!);
      return reports.after!;
    },
    async release() {
      plain = undefined;
      feeds = {};
      await executable?.release();
      executable = undefined;
    },
  };
}

function spreadRows(rows: Float32Array, width: number): Float32Array {
  const out = rows.slice();
  spread(out, width);
  return out;
}

function blocksOf(values: Float32Array, length: number, kept: readonly number[]): Float32Array<ArrayBuffer> {
  const out = new Float32Array(kept.length * length);
  for (const [to, block] of kept.entries()) out.set(values.subarray(block * length, (block + 1) * length), to * length);
  return out;
}

interface KeyValueCache {
  clear(slot: number): void;
  rewind(slot: number, tokens: number): void;
  narrow(kept: readonly number[]): void;
  /** Makes room for one more token per slot. */
  feeds(): Record<string, Float32Array>;
  /** Appends reported keys and values, [2 L, slots, K E]. */
  keep(kept: Float32Array): void;
}

const PLACES = 16;
const FAR = -1e9;

function createKeyValueCache(architecture: Architecture, most: number): KeyValueCache {
  const { layers, keyHeads, headWidth } = architecture;
  let slots = most;
  let lengths = new Int32Array(slots);
  let capacity = 0;
  let caches: Float32Array[] = Array.from({ length: 2 * layers }, () => new Float32Array());
  let turns = rotaryTables([], architecture);

  const makeRoom = (): void => {
    const needed = Math.max(...lengths);
    if (needed < capacity) return;
    const wider = PLACES * Math.ceil((needed + 1) / PLACES);
    caches = caches.map((cache) => widened(cache, slots * keyHeads, capacity * headWidth, wider * headWidth));
    capacity = wider;
    const positions = Array.from({ length: capacity }, (_, k) => k);
    turns = rotaryTables(positions, architecture);
  };

  const maskOf = (): Float32Array => {
    const mask = new Float32Array(slots * (capacity + 1)).fill(FAR);
    for (let slot = 0; slot < slots; slot++) {
      const from = slot * (capacity + 1);
      mask.fill(0, from, from + lengths[slot]!);
      mask[from + capacity] = 0;
    }
    return mask;
  };

  const turnsOf = (table: Float32Array): Float32Array => {
    const out = new Float32Array(slots * headWidth);
    for (let slot = 0; slot < slots; slot++) {
      const from = lengths[slot]! * headWidth;
      out.set(table.subarray(from, from + headWidth), slot * headWidth);
    }
    return out;
  };

  return {
    clear: (slot) => void lengths.fill(0, slot, slot + 1),
    rewind(slot, tokens) {
      lengths[slot]! -= tokens;
    },
    narrow(kept) {
      caches = caches.map((cache) => blocksOf(cache, keyHeads * capacity * headWidth, kept));
      lengths = Int32Array.from(kept, (slot) => lengths[slot]!);
      slots = kept.length;
    },
    feeds() {
      makeRoom();
      const held = caches.map((cache, k) => [cacheName(k >> 1, k % 2 === 0 ? 'keys' : 'values'), cache]);
      const [cosines, sines] = [turnsOf(turns.cosines), turnsOf(turns.sines)];
      return { ...Object.fromEntries(held), cosines, sines, mask: maskOf() };
    },
    keep(kept) {
      caches.forEach((cache, k) => {
        for (let slot = 0; slot < slots; slot++) {
          for (let head = 0; head < keyHeads; head++) {
            const own = slot * keyHeads + head;
            const to = (own * capacity + lengths[slot]!) * headWidth;
            const from = (k * slots * keyHeads + own) * headWidth;
            for (let e = 0; e < headWidth; e++) cache[to + e] = kept[from + e]!;
          }
        }
      });
      for (let slot = 0; slot < slots; slot++) lengths[slot]! += 1;
    },
  };
}

function widened(from: Float32Array, rows: number, width: number, wider: number): Float32Array {
  const out = new Float32Array(rows * wider);
  for (let row = 0; row < rows; row++) out.set(from.subarray(row * width, (row + 1) * width), row * wider);
  return out;
}

// B = slots, C = cache positions, L = layers, K = key heads, G = queries per key head, H = K G, E = head width.

const cacheName = (layer: number, kind: 'keys' | 'values'): string => `${kind} ${layer}`;

interface DecodingForm {
  pieces: number;
  slots: number;
  isQuantised: boolean;
  temperature?: number | undefined;
}

/**
 * Inputs: embeddings `x` and `conditionSum` [B, D]; rotary `cosines`, `sines` [B, 1, E]; additive `mask` [B, 1, 1, C +
 * 1], whose last entry is the token itself; caches [B, K, C, E]. Reports `after` [B, pieces] and `kept` [2 L, B, K E],
 * keys before values.
 */
function decodingProgram(architecture: Architecture, form: DecodingForm): Program {
  const graph = createGraph();
  const { width, layers, keyHeads, headWidth } = architecture;
  const { pieces, slots, isQuantised, temperature } = form;
  const source = (isQuantised ? quantisedSource : plainSource)(graph, architecture, pieces);
  let x = input(graph, 'x', [slots, width]);
  const attention = cachedAttention(graph, architecture, source, slots);
  const kept: Tensor[] = [];
  for (let at = 0; at < layers; at++) x = layer(x, at, source, architecture, (normed) => attention(normed, at, kept));
  const conditionSum = input(graph, 'conditionSum', [slots, width]);
  const logits = source.logits(lastNorm(x, conditionSum, source.finalGain(), architecture));
  const after = temperature === undefined ? logits : softmax(scale(logits, 1 / temperature));
  const all = concat(
    kept.map((own) => reshape(own, [1, slots, keyHeads * headWidth])),
    0,
  );
  const fed = ['x', 'conditionSum', 'cosines', 'sines', 'mask'];
  for (let at = 0; at < layers; at++) fed.push(cacheName(at, 'keys'), cacheName(at, 'values'));
  const frozen = [...graph.inputs.keys()].filter((name) => !fed.includes(name));
  return { graph, frozen, perStep: fed, state: [], reports: { after, kept: all } };
}

function cachedAttention(
  graph: Graph,
  { heads, keyHeads, headWidth }: Architecture,
  source: WeightSource,
  B: number,
): (normed: Tensor, at: number, kept: Tensor[]) => Tensor {
  const group = heads / keyHeads;
  const turn = turnMatrix(graph, headWidth);
  const cosines = input(graph, 'cosines', [B, 1, headWidth]);
  const sines = input(graph, 'sines', [B, 1, headWidth]);
  const mask = input(graph, 'mask', [B, 1, 1, OPEN]);
  return (normed, at, kept) => {
    const queries = rotate(reshape(source.linear(normed, at, 'query'), [B, heads, headWidth]), cosines, sines, turn);
    const key = rotate(reshape(source.linear(normed, at, 'key'), [B, keyHeads, headWidth]), cosines, sines, turn);
    const value = source.linear(normed, at, 'value');
    kept.push(key, value);
    const grouped = scale(reshape(queries, [B, keyHeads, group, headWidth]), headWidth ** -0.5);
    const keys = input(graph, cacheName(at, 'keys'), [B, keyHeads, OPEN, headWidth]);
    const values = input(graph, cacheName(at, 'values'), [B, keyHeads, OPEN, headWidth]);
    const past = matMul(grouped, keys, { transposeB: true });
    const own = matMul(grouped, reshape(key, [B, keyHeads, 1, headWidth]), { transposeB: true });
    const shares = softmax(add(concat([past, own], 3), mask));
    const [ofPast, ofOwn] = split(shares, [OPEN, 1], 3);
    const mixed = add(matMul(ofPast!, values), matMul(ofOwn!, reshape(value, [B, keyHeads, 1, headWidth])));
    return reshape(mixed, [B, heads * headWidth]);
  };
}
