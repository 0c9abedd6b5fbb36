/** Slots in which texts grow token by token, with a cache of keys and values that all of them share. */
import { setImmediate } from 'node:timers/promises';
import type { Executable, Feeds, TensorEngine } from '../../../tensor/engine.ts';
import type { Architecture } from '../base/architecture.ts';
import { cacheName, decodingProgram } from './decodingProgram.ts';
import { rotaryTables } from './layers.ts';
import { type PlainWeights, plainFeeds } from './network.ts';
import { quantisedFeeds } from './quantised.ts';
import { spread } from './spread.ts';

export interface Decoder {
  readonly slots: number;
  /** Forgets what stands in a slot. */
  clear(slot: number): void;
  /** Reads one more token in each slot; gives the probabilities (or logits) of what comes after, [slots, pieces]. */
  read(tokens: ArrayLike<number>): Promise<Float32Array>;
  release(): Promise<void>;
}

/** Places of the cache grow by these. */
const PLACES = 64;
const FAR = -1e9;

export interface DecoderOptions {
  slots: number;
  /** Of the probabilities that are given; logits are where there is none. */
  temperature?: number;
  /** Whether weights are rounded to bytes: on a CPU, unless told otherwise. */
  isQuantised?: boolean;
}

export function createDecoder(
  engine: TensorEngine,
  architecture: Architecture,
  weights: PlainWeights,
  { slots, temperature, isQuantised = !engine.isGpu }: DecoderOptions,
): Decoder {
  const { width, layers, keyHeads, headWidth } = architecture;
  const rows = [weights.pieces, weights.conditions].map((own) => (isQuantised ? spreadRows(own, width) : own));
  const pieces = weights.pieces.length / width;
  // Weights are let go where bytes stand for them.
  let plain: PlainWeights | undefined = weights;
  let feeds: Feeds = {};
  const prepare = async (from: PlainWeights): Promise<void> => {
    feeds = isQuantised ? await quantisedFeeds(from, architecture, () => setImmediate()) : plainFeeds(from);
    plain = undefined;
  };
  const lengths = new Int32Array(slots);
  let places = 0;
  let executable: Executable | undefined;
  let caches: Float32Array[] = [];
  const x = new Float32Array(slots * width);

  /** Room for one more token in every slot. */
  const grow = async (): Promise<Executable> => {
    if (plain) await prepare(plain);
    const needed = Math.max(...lengths);
    if (executable && needed < places) return executable;
    const wider = PLACES * Math.ceil((needed + 1) / PLACES);
    caches = Array.from({ length: 2 * layers }, (_, k) =>
      widened(caches[k], slots * keyHeads, places * headWidth, wider * headWidth),
    );
    places = wider;
    await executable?.release();
    executable = await engine.compile(
      decodingProgram(architecture, { pieces, slots, places, isQuantised, temperature }),
      feeds,
    );
    return executable;
  };

  const embed = (tokens: ArrayLike<number>): void => {
    for (let slot = 0; slot < slots; slot++) {
      const token = tokens[slot]!;
      const [table, row] = token < pieces ? [rows[0]!, token] : [rows[1]!, token - pieces];
      x.set(table.subarray(row * width, (row + 1) * width), slot * width);
    }
  };

  const maskOf = (): Float32Array => {
    const mask = new Float32Array(slots * (places + 1)).fill(FAR);
    for (let slot = 0; slot < slots; slot++) {
      const from = slot * (places + 1);
      mask.fill(0, from, from + lengths[slot]!);
      mask[from + places] = 0;
    }
    return mask;
  };

  const keep = (kept: Float32Array): void => {
    const row = keyHeads * headWidth;
    caches.forEach((cache, k) => {
      for (let slot = 0; slot < slots; slot++) {
        const from = (k * slots + slot) * row;
        for (let head = 0; head < keyHeads; head++) {
          const to = ((slot * keyHeads + head) * places + lengths[slot]!) * headWidth;
          const part = from + head * headWidth;
          for (let e = 0; e < headWidth; e++) cache[to + e] = kept[part + e]!;
        }
      }
    });
    for (let slot = 0; slot < slots; slot++) lengths[slot]! += 1;
  };

  return {
    slots,
    clear: (slot) => void lengths.fill(0, slot, slot + 1),
    async read(tokens) {
      const ready = await grow();
      embed(tokens);
      const { cosines, sines } = rotaryTables(lengths, architecture);
      const scaled = { x, cosines, sines, mask: maskOf() };
      const held = Object.fromEntries(
        caches.map((cache, k) => [cacheName(k >> 1, k % 2 === 0 ? 'keys' : 'values'), cache]),
      );
      const { reports } = await ready.run({ ...scaled, ...held }, 1);
      keep(reports.kept!);
      return reports.after!;
    },
    async release() {
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

/** Rows of a matrix, each made wider; nothing yet where there is no matrix. */
function widened(from: Float32Array | undefined, rows: number, width: number, wider: number): Float32Array {
  const out = new Float32Array(rows * wider);
  if (from) for (let row = 0; row < rows; row++) out.set(from.subarray(row * width, (row + 1) * width), row * wider);
  return out;
}
