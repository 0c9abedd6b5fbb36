/** Simple random samples and folds of rows. */
import type { RandomStream } from '../../numerics/random/stream.ts';

/** `size` of the rows 0 … rows-1 without replacement, ascending; all of them where there are no more. Knuth's algorithm S. */
export function sampleRows(rows: number, size: number, random: RandomStream): Int32Array {
  if (size >= rows) return Int32Array.from({ length: rows }, (_, row) => row);
  const chosen = new Int32Array(size);
  let found = 0;
  for (let row = 0; found < size; row++) {
    if (random.uniform() * (rows - row) < size - found) chosen[found++] = row;
  }
  return chosen;
}

/** Rows 0 … rows-1 dealt at random into folds whose sizes differ by one at most. */
export function dealFolds(rows: number, folds: number, random: RandomStream): Int32Array[] {
  const order = Int32Array.from({ length: rows }, (_, row) => row);
  for (let i = rows - 1; i > 0; i--) {
    const j = random.integer(i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return Array.from({ length: folds }, (_, fold) => order.filter((_, at) => at % folds === fold).sort());
}
