/**
 * Hashes of cells (FNV-1a over characters or words, mixed), the same in every process. Whoever hashes cells to compare them
 * has to bear texts that collide.
 */

const LOW_START = 0x811c9dc5;
const LOW_PRIME = 0x01000193;
const HIGH_START = 0x9747b28c;
const HIGH_FACTOR = 0x85ebca6b;

/** Texts of such lengths are hashed by words of UTF-8: one call for all bytes takes less time than one for each character. */
const SHORTEST_LONG = 32;
const LONGEST_LONG = 2 ** 14;
const encoder = new TextEncoder();
/** A character takes three bytes at most; those of supplementary planes count as two. */
const bytes = new Uint8Array(3 * LONGEST_LONG + 4);
const words = new Int32Array(bytes.buffer);

/** Filled in for one text after the other, so that nothing is allocated per cell: 32 bits each. */
export class CellHash {
  low = 0;
  high = 0;

  /** Both words in one pass. */
  take(text: string): void {
    if (text.length >= SHORTEST_LONG && text.length <= LONGEST_LONG) this.takeWords(text);
    else this.takeCharacters(text);
  }

  /** The low word alone, which `take` gives as well, in less time; `high` is left as it was. */
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

/** The low word alone, as a signed 32-bit number. */
export function lowHash(text: string): number {
  shared.takeLow(text);
  return shared.low;
}

/** The finaliser of MurmurHash3. */
function scramble(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
