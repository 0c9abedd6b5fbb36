/** The levels of a column that are counted on when it has too many: found by hash, a cell after the other. */
import { lowHash } from '../table/cellHash.ts';
import type { Sighting } from './columnSummary.ts';

/** Slots looked at for one text, at most: texts made to collide are not counted on, but cost no more than others. */
const LONGEST_PROBE = 32;
const SLOTS_PER_LEVEL = 4;

export class FrequentLevels {
  private readonly levels: readonly Sighting[];
  private readonly texts: readonly string[];
  private readonly counts: Float64Array;
  private readonly hashes: Int32Array;
  /** Places in `levels` + 1; 0 is a free slot. A power of two in length. */
  private readonly slots: Int32Array;

  /** Counts on from the levels' counts. */
  constructor(levels: readonly Sighting[]) {
    this.levels = levels;
    this.texts = levels.map(({ text }) => text);
    this.counts = Float64Array.from(levels, ({ count }) => count);
    this.hashes = Int32Array.from(levels, ({ text }) => lowHash(text));
    this.slots = new Int32Array(2 ** Math.ceil(Math.log2(SLOTS_PER_LEVEL * levels.length + 1)));
    for (const [place, hash] of this.hashes.entries()) this.insert(hash, place);
  }

  /** Counts a cell where it is one of the levels. `hash`: its `lowHash`. */
  add(cell: string, hash: number): void {
    const mask = this.slots.length - 1;
    for (let probe = 0; probe < LONGEST_PROBE; probe++) {
      const place = this.slots[(hash + probe) & mask]! - 1;
      if (place < 0) return;
      if (this.hashes[place] === hash && this.texts[place] === cell) {
        this.counts[place]!++;
        return;
      }
    }
  }

  /** The most frequent first, equals in the order in which they were given. */
  frequent(most: number): Sighting[] {
    const counted = this.levels.map((level, place) => ({ ...level, count: this.counts[place]! }));
    return counted.sort((a, b) => b.count - a.count).slice(0, most);
  }

  private insert(hash: number, place: number): void {
    const mask = this.slots.length - 1;
    for (let probe = 0; probe < LONGEST_PROBE; probe++) {
      const slot = (hash + probe) & mask;
      if (this.slots[slot] !== 0) continue;
      this.slots[slot] = place + 1;
      return;
    }
  }
}
