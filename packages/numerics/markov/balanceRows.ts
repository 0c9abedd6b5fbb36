/**
 * Swaps levels between rows with equal conditioning values to balance pair counts; chance alone would leave errors of
 * about their square root.
 */
import type { RandomStream } from '../random/stream.ts';

export interface Alike {
  rows: readonly number[];
  shares: ArrayLike<number>;
}

/** Levels 0 … `size` - 1. */
export interface Levels {
  of: Int32Array;
  size: number;
}

interface Pair {
  other: Int32Array;
  excess: Float64Array;
  weights: Float64Array;
}

/** Modifies `variable` but keeps the levels of each group. Each row is offered `offers` partners. */
export async function balanceRows(
  variable: Levels,
  groups: readonly Alike[],
  beside: readonly Levels[],
  { offers, random, yieldToEventLoop }: { offers: number; random: RandomStream; yieldToEventLoop(): Promise<void> },
): Promise<void> {
  if (offers === 0 || beside.length === 0) return;
  const pairs = beside.map((other) => pairOf(variable, groups, other));
  for (let offer = 0; offer < offers; offer++) {
    await yieldToEventLoop();
    for (const { rows } of groups) {
      if (rows.length < 2) continue;
      for (const row of rows) offerSwap(variable, pairs, row, rows[random.integer(rows.length)]!);
    }
  }
}

function pairOf({ of, size }: Levels, groups: readonly Alike[], other: Levels): Pair {
  const excess = new Float64Array(other.size * size);
  const expected = new Float64Array(other.size * size);
  for (const { rows, shares } of groups) {
    const found = new Map<number, number>();
    for (const row of rows) {
      const level = other.of[row]!;
      excess[level * size + of[row]!]! += 1;
      found.set(level, (found.get(level) ?? 0) + 1);
    }
    for (const [level, count] of found)
      for (let at = 0; at < size; at++) expected[level * size + at]! += count * shares[at]!;
  }
  for (let cell = 0; cell < excess.length; cell++) excess[cell]! -= expected[cell]!;
  return { other: other.of, excess, weights: expected.map((count) => 1 / (count + 1)) };
}

function offerSwap({ of, size }: Levels, pairs: readonly Pair[], one: number, two: number): void {
  const [a, b] = [of[one]!, of[two]!];
  if (a === b) return;
  let change = 0;
  for (let at = 0; at < pairs.length; at++) {
    const { other, excess, weights } = pairs[at]!;
    const [from, to] = [other[one]! * size, other[two]! * size];
    if (from === to) continue;
    change += (1 - 2 * excess[from + a]!) * weights[from + a]! + (1 + 2 * excess[from + b]!) * weights[from + b]!;
    change += (1 - 2 * excess[to + b]!) * weights[to + b]! + (1 + 2 * excess[to + a]!) * weights[to + a]!;
  }
  if (change >= 0) return;
  for (const { other, excess } of pairs) {
    const [from, to] = [other[one]! * size, other[two]! * size];
    excess[from + a]! -= 1;
    excess[to + b]! -= 1;
    excess[from + b]! += 1;
    excess[to + a]! += 1;
  }
  of[one] = b;
  of[two] = a;
}
