/** Counts distinct texts in bounded memory: exactly as long as there is room, then by adaptive sampling. */
import { CellHash } from '../table/cellHash.ts';

const FIRST_SLOTS = 64;
/** Slots of one counter, at most; and of one that may estimate, with a standard error of about one percent. */
const MOST_SLOTS = 2 ** 21;
const ESTIMATE_SLOTS = 2 ** 14;
/** Slots looked at for one text, at most, so that texts made to collide cost no more than others. */
const LONGEST_PROBE = 256;
const HIGH_WORD = 2 ** 20;

const hash = new CellHash();

/** Slots of all counters of a profile together: 48 MB. */
const ALL_SLOTS = 6 * 2 ** 20;

export class SlotBudget {
  private left: number;

  constructor(slots = ALL_SLOTS) {
    this.left = slots;
  }

  take(slots: number): boolean {
    if (slots > this.left) return false;
    this.left -= slots;
    return true;
  }

  giveBack(slots: number): void {
    this.left += slots;
  }
}

/**
 * Keeps the 52-bit hashes of the texts. Where the table is full and may not grow, it keeps only hashes whose last
 * `level` bits are zero and multiplies (Wegman's adaptive sampling; Flajolet 1990): the standard error is then about
 * 1.2 divided by the root of the number of hashes kept.
 */
export class DistinctCounter {
  private readonly budget: SlotBudget;
  /** Hashes, never 0, which is a free slot. A power of two in length. */
  private slots = new Float64Array(FIRST_SLOTS);
  private kept = 0;
  private level = 0;
  private mostSlots = MOST_SLOTS;
  private skipped = false;

  constructor(budget: SlotBudget) {
    this.budget = budget;
  }

  /** Counts a text where it is new. Gives the low word of its hash. */
  add(text: string): number {
    if (this.level > 0) {
      hash.takeLow(text);
      if (hash.low << (32 - this.level) !== 0) return hash.low;
    }
    hash.take(text);
    this.insert((hash.high >>> 12) * 2 ** 32 + (hash.low >>> 0) + 1);
    return hash.low;
  }

  /** Says that an estimate will do from here on: it takes less memory and time. */
  allowEstimate(): void {
    this.mostSlots = ESTIMATE_SLOTS;
  }

  /** How many distinct texts were added. */
  count(): number {
    return this.kept * 2 ** this.level;
  }

  isExact(): boolean {
    return this.level === 0 && !this.skipped;
  }

  private insert(entry: number): void {
    const mask = this.slots.length - 1;
    let slot = this.home(entry) & mask;
    for (let probe = 0; this.slots[slot] !== 0; probe++) {
      if (this.slots[slot] === entry) return;
      if (probe === LONGEST_PROBE) {
        this.skipped = true;
        return;
      }
      slot = (slot + 1) & mask;
    }
    this.slots[slot] = entry;
    this.kept++;
    if (this.kept > 0.7 * this.slots.length) this.makeRoom();
  }

  /** The high bits: the low ones are alike in all hashes that are kept at a level above 0. */
  private home(entry: number): number {
    return Math.floor(entry / HIGH_WORD) | 0;
  }

  private makeRoom(): void {
    const old = this.slots;
    const larger = 2 * old.length;
    if (larger <= this.mostSlots && this.budget.take(larger)) {
      this.slots = new Float64Array(larger);
      if (old.length > FIRST_SLOTS) this.budget.giveBack(old.length);
    } else {
      this.level++;
      this.slots = new Float64Array(old.length);
    }
    this.kept = 0;
    const step = 2 ** this.level;
    for (const entry of old) if (entry !== 0 && (entry - 1) % step === 0) this.insert(entry);
  }
}
