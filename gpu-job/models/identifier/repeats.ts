/** How often one identifier stands in a column, and whether its rows stand together. */
import { z } from 'zod';
import type { RandomStream } from '../../../numerics/random/stream.ts';

export const repeatsSchema = z.object({
  /** Rows of one identifier: one number where all have as many, else a sample of them. */
  sizes: z.array(z.int().positive()).min(1),
  /** The rows of an identifier follow one another. */
  areAdjacent: z.boolean(),
});
export type Repeats = z.infer<typeof repeatsSchema>;

/** Sizes kept, at most: spread evenly over those that there are, in ascending order. */
const MOST_SIZES = 1000;
/** Share of the repeats that follow their like, from which on rows stand together. */
const ADJACENT_SHARE = 0.9;

/** Repeats of a column's cells, in the order of its rows. */
export function learnRepeats(cells: readonly string[]): Repeats {
  const counts = new Map<string, number>();
  let following = 0;
  cells.forEach((cell, row) => {
    counts.set(cell, (counts.get(cell) ?? 0) + 1);
    if (row > 0 && cells[row - 1] === cell) following++;
  });
  const repeats = cells.length - counts.size;
  const sizes = [...counts.values()].sort((a, b) => a - b);
  const stride = Math.max(1, sizes.length / MOST_SIZES);
  const kept: number[] = [];
  for (let at = 0; at < sizes.length; at += stride) kept.push(sizes[Math.floor(at)]!);
  return {
    sizes: sizes[0] === sizes.at(-1) ? [sizes[0]!] : kept,
    areAdjacent: repeats === 0 || following >= ADJACENT_SHARE * repeats,
  };
}

/** Which identifier each row has: 0 … count-1. */
export function spreadOver(
  { sizes, areAdjacent }: Repeats,
  rows: number,
  random: RandomStream,
): { codes: Int32Array; count: number } {
  const codes = new Int32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; count++) {
    const size = sizes.length === 1 ? sizes[0]! : sizes[random.integer(sizes.length)]!;
    for (let left = size; left > 0 && row < rows; left--) codes[row++] = count;
  }
  if (!areAdjacent) shuffle(codes, random);
  return { codes, count };
}

function shuffle(codes: Int32Array, random: RandomStream): void {
  for (let i = codes.length - 1; i > 0; i--) {
    const j = random.integer(i + 1);
    [codes[i], codes[j]] = [codes[j]!, codes[i]!];
  }
}
