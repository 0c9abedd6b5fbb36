/** Hashes of cells, the same in every process. Whoever hashes cells to compare them has to bear texts that collide. */

const LOW_START = 0x811c9dc5;
const LOW_PRIME = 0x01000193;
const HIGH_START = 0x9747b28c;
const HIGH_FACTOR = 0x85ebca6b;

/** Filled in for one text after the other, so that nothing is allocated per cell: 32 bits each. */
export class CellHash {
  low = 0;
  high = 0;

  /** Both words in one pass. */
  take(text: string): void {
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
}

/** The low word alone, as a signed 32-bit number (FNV-1a, mixed). */
export function lowHash(text: string): number {
  let low = LOW_START;
  for (let i = 0; i < text.length; i++) low = Math.imul(low ^ text.charCodeAt(i), LOW_PRIME);
  return scramble(low ^ text.length);
}

/** The finaliser of MurmurHash3. */
function scramble(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
