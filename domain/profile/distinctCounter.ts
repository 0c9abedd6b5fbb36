/** Counts distinct texts in bounded memory: exactly as long as there is room, then by adaptive sampling. */

const FIRST_SLOTS = 64;
/** Slots of one counter, at most; and of one that may estimate, with a standard error of about one percent. */
const MOST_SLOTS = 2 ** 21;
const ESTIMATE_SLOTS = 2 ** 14;
/** Slots looked at for one text, at most, so that texts made to collide cost no more than others. */
const LONGEST_PROBE = 256;
const HIGH_WORD = 2 ** 20;

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

  add(text: string): void {
    let low = 0x811c9dc5;
    for (let i = 0; i < text.length; i++) low = Math.imul(low ^ text.charCodeAt(i), 0x01000193);
    low = scramble(low ^ text.length);
    if (this.level > 0 && low << (32 - this.level) !== 0) return;
    let high = 0x9747b28c;
    for (let i = 0; i < text.length; i++) high = Math.imul(high ^ text.charCodeAt(i), 0x85ebca6b) ^ (high >>> 13);
    high = scramble(high);
    this.insert((high >>> 12) * 2 ** 32 + (low >>> 0) + 1);
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

  private insert(hash: number): void {
    const mask = this.slots.length - 1;
    let slot = this.home(hash) & mask;
    for (let probe = 0; this.slots[slot] !== 0; probe++) {
      if (this.slots[slot] === hash) return;
      if (probe === LONGEST_PROBE) {
        this.skipped = true;
        return;
      }
      slot = (slot + 1) & mask;
    }
    this.slots[slot] = hash;
    this.kept++;
    if (this.kept > 0.7 * this.slots.length) this.makeRoom();
  }

  /** The high bits: the low ones are alike in all hashes that are kept at a level above 0. */
  private home(hash: number): number {
    return Math.floor(hash / HIGH_WORD) | 0;
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
    for (const hash of old) if (hash !== 0 && (hash - 1) % step === 0) this.insert(hash);
  }
}

/** The finaliser of MurmurHash3. */
function scramble(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
