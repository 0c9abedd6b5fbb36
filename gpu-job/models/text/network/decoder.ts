/** Slots in which texts grow token by token, with a cache of keys and values that all of them share. */
import type { Executable, TensorEngine } from '../../../tensor/engine.ts';
import type { Architecture } from '../base/architecture.ts';
import { decodingProgram } from './decodingProgram.ts';
import { createKeyValueCache } from './keyValueCache.ts';
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

export interface DecoderOptions {
  slots: number;
  /** Of the probabilities that are given; logits are where there is none. */
  temperature?: number;
  /** Whether weights are rounded to bytes: on a CPU, unless told otherwise. */
  isQuantised?: boolean;
  /** Called between layers while weights are rounded: a base takes seconds. */
  breathe?: (() => Promise<void>) | undefined;
}

export function createDecoder(
  engine: TensorEngine,
  architecture: Architecture,
  weights: PlainWeights,
  { slots, temperature, isQuantised = !engine.isGpu, breathe = async () => {} }: DecoderOptions,
): Decoder {
  const { width } = architecture;
  const pieces = weights.pieces.length / width;
  const tableOf = (rows: Float32Array): Float32Array => (isQuantised ? spreadRows(rows, width) : rows);
  const [pieceRows, conditionRows, shortcutRows] = [weights.pieces, weights.conditions, weights.shortcuts].map(tableOf);
  const program = decodingProgram(architecture, { pieces, slots, isQuantised, temperature });
  const cache = createKeyValueCache(architecture, slots);
  const x = new Float32Array(slots * width);
  const told = new Float32Array(slots * width);
  // Let go once they are compiled: bytes stand for them.
  let plain: PlainWeights | undefined = weights;
  let executable: Executable | undefined;

  const compile = async (from: PlainWeights): Promise<Executable> => {
    const feeds = isQuantised ? await quantisedFeeds(from, architecture, breathe) : plainFeeds(from);
    return engine.compile(program, feeds);
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
        told[at + k]! += entry;
      });
    }
  };

  return {
    slots,
    clear(slot) {
      cache.clear(slot);
      told.fill(0, slot * width, (slot + 1) * width);
    },
    async read(tokens) {
      if (plain) executable = await compile(plain);
      plain = undefined;
      if (!executable) throw new Error('the decoder was released');
      embed(tokens);
      const { reports } = await executable.run({ x, told, ...cache.feeds() }, 1);
      cache.keep(reports.kept!);
      return reports.after!;
    },
    async release() {
      plain = undefined;
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
