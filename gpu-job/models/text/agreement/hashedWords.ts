/**
 * Texts as hashed counts of their words and pairs of words (Weinberger et al., 2009), each text a vector of length one: what
 * a plain reader sees of a text.
 */
import { conjugateGradient } from '../../../../numerics/linalg/conjugateGradient.ts';

/** Places of the hash. */
export const PLACES = 1 << 15;
/** Words of a text that are read, at most. */
const MOST_WORDS = 1_000;
/** Ridge penalty, of rows of length one. */
const RIDGE = 1;
const ROUNDS = { most: 60, tolerance: 1e-3 } as const;

/** Rows one after another: row r has the entries from[r] … from[r + 1] - 1. */
export interface SparseRows {
  from: Int32Array;
  places: Int32Array;
  values: Float32Array;
}

export function hashedWords(texts: readonly string[]): SparseRows {
  const from = new Int32Array(texts.length + 1);
  const [places, values]: [number[], number[]] = [[], []];
  texts.forEach((text, row) => {
    const counts = countPlaces(text);
    const length = Math.sqrt([...counts.values()].reduce((sum, count) => sum + count * count, 0));
    for (const [place, count] of counts) {
      places.push(place);
      values.push(count / length);
    }
    from[row + 1] = places.length;
  });
  return { from, places: Int32Array.from(places), values: Float32Array.from(values) };
}

function countPlaces(text: string): Map<number, number> {
  const words = (text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []).slice(0, MOST_WORDS);
  const counts = new Map<number, number>();
  words.forEach((word, k) => {
    for (const own of k === 0 ? [word] : [word, `${words[k - 1]} ${word}`]) {
      const place = placeOf(own);
      counts.set(place, (counts.get(place) ?? 0) + 1);
    }
  });
  return counts;
}

/** FNV-1a over code units, its upper half folded onto the lower. */
function placeOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let k = 0; k < word.length; k++) hash = Math.imul(hash ^ word.charCodeAt(k), 0x01000193);
  return (hash ^ (hash >>> 15)) & (PLACES - 1);
}

/** Weights of the ridge regression of `values` (mean about zero) on the given rows. */
export function fitRidge(
  { from, places, values: x }: SparseRows,
  rows: Int32Array,
  values: Float32Array,
): Float32Array {
  const add = (into: Float64Array, row: number, times: number): void => {
    for (let at = from[row]!; at < from[row + 1]!; at++) into[places[at]!]! += times * x[at]!;
  };
  const target = new Float64Array(PLACES);
  for (const row of rows) add(target, row, values[row]!);
  const weights = conjugateGradient(
    (v, into) => {
      for (let k = 0; k < PLACES; k++) into[k] = RIDGE * v[k]!;
      for (const row of rows) {
        let score = 0;
        for (let at = from[row]!; at < from[row + 1]!; at++) score += v[places[at]!]! * x[at]!;
        add(into, row, score);
      }
    },
    target,
    ROUNDS,
  );
  return Float32Array.from(weights);
}

export function scoreOf({ from, places, values }: SparseRows, row: number, weights: Float32Array): number {
  let score = 0;
  for (let at = from[row]!; at < from[row + 1]!; at++) score += weights[places[at]!]! * values[at]!;
  return score;
}
