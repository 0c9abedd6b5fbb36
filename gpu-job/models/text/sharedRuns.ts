/**
 * Runs of characters that a text shares with training rows. A run of more than 60 holds a window of 46 that begins at a
 * multiple of 16 of its row: those windows are kept, as hashes, and looked for at every place of a text.
 */
import { COMMON_ROWS } from './verbatim.ts';

export const WINDOW = 46;
const STRIDE = 16;
/** Texts whose own runs are looked at, at most, to learn how often real rows share one. */
const MOST_ASKED = 2000;
/** Any odd number that mixes. */
const BASES = [0x01000193, 0x85ebca6b] as const;

export interface SharedRuns {
  /** Hashes of windows of fewer rows than make a text common, ascending. */
  windows: Float64Array;
  /** Share of real texts that have such a window of another row. */
  rate: number;
}

/** Learns from the texts of the training rows. */
export function learnRuns(texts: readonly string[]): SharedRuns {
  const rows = new Map<number, number>();
  const owners = new Map<number, number>();
  texts.forEach((text, row) => {
    const own = new Set<number>();
    eachWindow(text, (hash, at) => {
      if (at % STRIDE === 0) own.add(hash);
      return false;
    });
    for (const hash of own) {
      rows.set(hash, (rows.get(hash) ?? 0) + 1);
      if (!owners.has(hash)) owners.set(hash, row);
    }
  });
  const windows = Float64Array.from([...rows].flatMap(([hash, count]) => (count < COMMON_ROWS ? [hash] : []))).sort();
  const stride = Math.max(1, Math.ceil(texts.length / MOST_ASKED));
  let [asked, shared] = [0, 0];
  for (let row = 0; row < texts.length; row += stride) {
    asked++;
    const isOthers = (hash: number): boolean => {
      const count = rows.get(hash) ?? 0;
      return count > 0 && count < COMMON_ROWS && (count > 1 || owners.get(hash) !== row);
    };
    if (someWindow(texts[row]!, isOthers)) shared++;
  }
  return { windows, rate: asked > 0 ? shared / asked : 0 };
}

/** Whether the text has a window of few training rows. */
export const hasRun = ({ windows }: SharedRuns, text: string): boolean =>
  windows.length > 0 && someWindow(text, (hash) => isIn(windows, hash));

function someWindow(text: string, holds: (hash: number) => boolean): boolean {
  let found = false;
  eachWindow(text, (hash) => {
    found ||= holds(hash);
    return found;
  });
  return found;
}

/** Calls `take` with the hash of every window and its place, until it says true. Two rolling hashes, 53 bits of them. */
function eachWindow(text: string, take: (hash: number, at: number) => boolean): void {
  if (text.length < WINDOW) return;
  const [low, high] = BASES.map((base) => ({ base, hash: 0, gone: power(base, WINDOW) })) as [Rolling, Rolling];
  for (let i = 0; i < text.length; i++) {
    const gone = i >= WINDOW ? text.charCodeAt(i - WINDOW) : 0;
    roll(low, text.charCodeAt(i), gone);
    roll(high, text.charCodeAt(i), gone);
    if (i < WINDOW - 1) continue;
    if (take((high.hash & 0x1fffff) * 2 ** 32 + (low.hash >>> 0), i - WINDOW + 1) === true) return;
  }
}

interface Rolling {
  base: number;
  hash: number;
  /** What a unit that leaves the window has been multiplied by. */
  gone: number;
}

function roll(rolling: Rolling, unit: number, gone: number): void {
  rolling.hash = (Math.imul(rolling.hash, rolling.base) + unit - Math.imul(gone, rolling.gone)) | 0;
}

function power(base: number, exponent: number): number {
  let result = 1;
  for (let k = 0; k < exponent; k++) result = Math.imul(result, base);
  return result;
}

function isIn(sorted: Float64Array, x: number): boolean {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (sorted[middle]! < x) from = middle + 1;
    else to = middle;
  }
  return sorted[from] === x;
}
