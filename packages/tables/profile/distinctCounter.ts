/** Counts distinct texts: exactly while there is room, then by adaptive sampling. */

/** FNV-1a over characters or words, mixed; the same in every process. Hashes may collide. */

const LOW_START = 0x811c9dc5;
const LOW_PRIME = 0x01000193;
const HIGH_START = 0x9747b28c;
const HIGH_FACTOR = 0x85ebca6b;

/** Hashing these by words of UTF-8 is faster. */
const SHORTEST_LONG = 32;
const LONGEST_LONG = 2 ** 14;
const encoder = new TextEncoder();
const bytes = new Uint8Array(3 * LONGEST_LONG + 4);
const words = new Int32Array(bytes.buffer);

export class CellHash {
  low = 0;
  high = 0;

  take(text: string): void {
    if (text.length >= SHORTEST_LONG && text.length <= LONGEST_LONG) this.takeWords(text);
    else this.takeCharacters(text);
  }

  /** Sets the same `low` as `take`, faster; leaves `high` unchanged. */
  takeLow(text: string): void {
    if (text.length >= SHORTEST_LONG && text.length <= LONGEST_LONG) {
      this.takeWords(text);
      return;
    }
    let low = LOW_START;
    for (let i = 0; i < text.length; i++) low = Math.imul(low ^ text.charCodeAt(i), LOW_PRIME);
    this.low = scramble(low ^ text.length);
  }

  private takeCharacters(text: string): void {
    let low = LOW_START;
    let high = HIGH_START;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      low = Math.imul(low ^ code, LOW_PRIME);
      high = Math.imul(high ^ code, HIGH_FACTOR) ^ (high >>> 13);
    }
    this.low = scramble(low ^ text.length);
    this.high = scramble(high);
  }

  private takeWords(text: string): void {
    const { written } = encoder.encodeInto(text, bytes);
    const last = written >>> 2;
    words[last]! &= (1 << (8 * (written & 3))) - 1;
    let low = LOW_START;
    let high = HIGH_START;
    for (let i = 0; i <= last; i++) {
      const word = words[i]!;
      low = Math.imul(low ^ word, LOW_PRIME);
      low ^= low >>> 15;
      high = Math.imul(high ^ word, HIGH_FACTOR) ^ (high >>> 13);
    }
    this.low = scramble(low ^ text.length);
    this.high = scramble(high);
  }
}

const shared = new CellHash();

export function lowHash(text: string): number {
  shared.takeLow(text);
  return shared.low;
}

/** The finaliser of MurmurHash3. */
export function scramble(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

const FIRST_SLOTS = 64;
/** Maximum slots of a counter; an estimate has a standard error of about 1 %. */
const MAX_SLOTS = 2 ** 21;
const ESTIMATE_SLOTS = 2 ** 14;
/** Bounds the cost of forced collisions. */
const LONGEST_PROBE = 256;
const HIGH_WORD = 2 ** 20;

const hash = new CellHash();

/** Slots of all counters of a profile: 48 MB. */
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
 * When full, keeps only hashes with `level` trailing zero bits (Wegman's adaptive sampling; Flajolet 1990). Standard
 * error: about 1.2 / √(hashes kept).
 */
export class DistinctCounter {
  private readonly budget: SlotBudget;
  private slots = new Float64Array(FIRST_SLOTS);
  private kept = 0;
  private level = 0;
  private mostSlots = MAX_SLOTS;
  private skipped = false;

  constructor(budget: SlotBudget) {
    this.budget = budget;
  }

  /**
   * Counts a text.
   * @returns the low word of its hash.
   */
  add(text: string): number {
    if (this.level > 0) {
      hash.takeLow(text);
      if (hash.low << (32 - this.level) !== 0) return hash.low;
    }
    hash.take(text);
    this.insert((hash.high >>> 12) * 2 ** 32 + (hash.low >>> 0) + 1);
    return hash.low;
  }

  /** An estimate suffices from here on. */
  allowEstimate(): void {
    this.mostSlots = ESTIMATE_SLOTS;
  }

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
