/** Identifies a table by its rows, whatever their order and file format. */
import { z } from 'zod';
import { parseNumber } from '../format/number.ts';
import { isMissing } from '../missing.ts';
import { scramble } from './distinctCounter.ts';

export const rowDigestSchema = z.object({
  /** Hexadecimal; independent of the order of rows and columns. */
  table: z.string(),
  rows: z.int(),
  /** The smallest distinct row hashes, ascending: the same random sample of rows in every table with them. */
  smallest: z.array(z.int()),
});
export type RowDigest = z.output<typeof rowDigestSchema>;

export const SMALLEST_ROWS = 1024;
/** Exclusive upper bound of row hashes. */
export const ROW_HASHES = 2 ** 48;

const LANE = 2 ** 32;
const LOW_START = 0x811c9dc5;
const LOW_PRIME = 0x01000193;
const HIGH_START = 0x9747b28c;
const HIGH_FACTOR = 0x85ebca6b;
/** Separates cells; beyond any character code. */
const END = 0x10000;

/**
 * Sums row hashes in four 32-bit lanes, independent of order. Not cryptographic, for speed; a collision only makes two
 * tables share a privacy budget.
 */
export class RowDigester {
  readonly #order: readonly number[];
  readonly #lanes = [0, 0, 0, 0];
  #rows = 0;
  #kept: number[] = [];
  #limit = ROW_HASHES;

  constructor(names: readonly string[]) {
    this.#order = names
      .map((_, at) => at)
      .sort((a, b) => (names[a]! < names[b]! ? -1 : names[a]! > names[b]! ? 1 : a - b));
  }

  add(cells: readonly string[]): void {
    let low = LOW_START;
    let high = HIGH_START;
    for (const at of this.#order) {
      const text = sameText(cells[at] ?? '');
      for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i);
        low = Math.imul(low ^ code, LOW_PRIME);
        high = Math.imul(high ^ code, HIGH_FACTOR) ^ (high >>> 13);
      }
      low = Math.imul(low ^ END, LOW_PRIME);
      low ^= low >>> 15;
      high = Math.imul(high ^ END, HIGH_FACTOR) ^ (high >>> 13);
    }
    low = scramble(low);
    high = scramble(high);
    this.#rows++;
    this.#addTo(0, low);
    this.#addTo(1, high);
    this.#addTo(2, Math.imul(low ^ (high >>> 15), 0x9e3779b1));
    this.#addTo(3, Math.imul(high ^ (low >>> 13), 0xc2b2ae3d));
    this.#keep((high >>> 16) * LANE + (low >>> 0));
  }

  finish(): RowDigest {
    this.#shrink();
    const parts = [this.#rows, this.#order.length, ...this.#lanes];
    return {
      table: parts.map((part) => part.toString(16).padStart(8, '0')).join(''),
      rows: this.#rows,
      smallest: this.#kept,
    };
  }

  #addTo(lane: number, word: number): void {
    this.#lanes[lane] = (this.#lanes[lane]! + word) >>> 0;
  }

  #keep(hash: number): void {
    if (hash >= this.#limit) return;
    if (this.#kept.push(hash) === 2 * SMALLEST_ROWS) this.#shrink();
  }

  #shrink(): void {
    this.#kept = [...new Set(this.#kept)].sort((a, b) => a - b).slice(0, SMALLEST_ROWS);
    if (this.#kept.length === SMALLEST_ROWS) this.#limit = this.#kept.at(-1)!;
  }
}

const ZERO = 0x30;
const NINE = 0x39;
const POINT = 0x2e;
const MINUS = 0x2d;
const PLUS = 0x2b;
const LAST_SPACE = 0x20;

/** Workbooks and text files write missing cells and numbers differently. */
function sameText(cell: string): string {
  const first = cell.charCodeAt(0);
  const isPadded = first <= LAST_SPACE || cell.charCodeAt(cell.length - 1) <= LAST_SPACE;
  if (!isPadded && beginsLikeNumber(first)) return sameNumber(cell);
  if (isMissing(cell)) return '';
  if (!isPadded) return cell;
  const text = cell.trim();
  return beginsLikeNumber(text.charCodeAt(0)) ? sameNumber(text) : text;
}

function sameNumber(text: string): string {
  if (isShortest(text) || LONG_CODE.test(text)) return text;
  const value = parseNumber(text);
  return value === undefined ? text : String(value === 0 ? 0 : value);
}

const beginsLikeNumber = (code: number): boolean =>
  (code >= ZERO && code <= NINE) || code === MINUS || code === PLUS || code === POINT;

/** Long codes may be equal as doubles. */
const LONG_CODE = /^\d{16,}$/;

function isShortest(text: string): boolean {
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  let point = -1;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === POINT && point < 0 && at > start) point = at;
    else if (code < ZERO || code > NINE) return false;
  }
  const whole = (point < 0 ? text.length : point) - start;
  if (whole === 0 || text.length > LONGEST_EXACT) return false;
  if (text.charCodeAt(start) === ZERO && (whole > 1 || (start === 1 && point < 0))) return false;
  return point < 0 || (point < text.length - 1 && text.charCodeAt(text.length - 1) !== ZERO);
}

/** Maximum characters of a number that a double holds exactly. */
const LONGEST_EXACT = 16;
