/** Keys and values of the tokens that slots have read, of all layers, as a step of decoding takes them. */
import type { Architecture } from '../base/architecture.ts';
import { cacheName } from './decodingProgram.ts';
import { rotaryTables } from './layers.ts';

export interface KeyValueCache {
  /** Forgets what stands in a slot. */
  clear(slot: number): void;
  /** What a step reads, with room for one more token in every slot: caches, mask, and the turns of each slot's position. */
  feeds(): Record<string, Float32Array>;
  /** Keeps what a step reports, [2 L, slots, K E], as the next token of every slot. */
  keep(kept: Float32Array): void;
}

/** Places grow by these: few of them are empty, and what stands there is seldom copied. */
const PLACES = 16;
const FAR = -1e9;

export function createKeyValueCache(architecture: Architecture, slots: number): KeyValueCache {
  const { layers, keyHeads, headWidth } = architecture;
  const lengths = new Int32Array(slots);
  let places = 0;
  let caches: Float32Array[] = Array.from({ length: 2 * layers }, () => new Float32Array());
  let turns = rotaryTables([], architecture);

  const makeRoom = (): void => {
    const needed = Math.max(...lengths);
    if (needed < places) return;
    const wider = PLACES * Math.ceil((needed + 1) / PLACES);
    caches = caches.map((cache) => widened(cache, slots * keyHeads, places * headWidth, wider * headWidth));
    places = wider;
    const positions = Array.from({ length: places }, (_, k) => k);
    turns = rotaryTables(positions, architecture);
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
            const to = (own * places + lengths[slot]!) * headWidth;
            const from = (k * slots * keyHeads + own) * headWidth;
            for (let e = 0; e < headWidth; e++) cache[to + e] = kept[from + e]!;
          }
        }
      });
      for (let slot = 0; slot < slots; slot++) lengths[slot]! += 1;
    },
  };
}

/** Rows of a matrix, each made wider. */
function widened(from: Float32Array, rows: number, width: number, wider: number): Float32Array {
  const out = new Float32Array(rows * wider);
  for (let row = 0; row < rows; row++) out.set(from.subarray(row * width, (row + 1) * width), row * wider);
  return out;
}
