/**
 * Levels of a variable swapped between rows that are alike in all that it is drawn given, until pairs with the other
 * variables occur as often as the distribution says: chance alone would be off by the square root of each count.
 */
import type { RandomStream } from '../random/stream.ts';

export interface Balanced {
  /** Rows that may swap: those alike in what the variable is drawn given, with its probabilities there. */
  groups: Iterable<{ rows: readonly number[]; shares: Float64Array }>;
  /** Of the variable, which are swapped in place. */
  levels: Int32Array;
  size: number;
  /** Variables that are to go with it as the distribution says, each with its number of levels. */
  beside: readonly { levels: ArrayLike<number>; size: number }[];
}

/** Partners that each row is offered. */
const OFFERS = 20;

export function balance({ groups, levels, size, beside }: Balanced, random: RandomStream): void {
  const all = [...groups];
  const counts = beside.map((other) => new Float64Array(other.size * size));
  const weights = beside.map((other) => new Float64Array(other.size * size));
  // Counts less what is expected; 1 ÷ (expected + 1) weighs them as chance varies.
  for (const { rows, shares } of all)
    for (const [at, other] of beside.entries()) {
      const [off, expected] = [counts[at]!, weights[at]!];
      for (const row of rows) {
        const from = other.levels[row]! * size;
        off[from + levels[row]!]! += 1;
        for (let level = 0; level < size; level++) {
          off[from + level]! -= shares[level]!;
          expected[from + level]! += shares[level]!;
        }
      }
    }
  for (const of of weights) for (let cell = 0; cell < of.length; cell++) of[cell] = 1 / (of[cell]! + 1);
  for (let offer = 0; offer < OFFERS; offer++)
    for (const { rows } of all) {
      if (rows.length < 2) continue;
      for (const one of rows) {
        const two = rows[random.integer(rows.length)]!;
        const [a, b] = [levels[one]!, levels[two]!];
        if (a === b) continue;
        let change = 0;
        for (let at = 0; at < beside.length; at++) {
          const own = beside[at]!.levels;
          if (own[one] === own[two]) continue;
          const [off, weight] = [counts[at]!, weights[at]!];
          const [from, to] = [own[one]! * size, own[two]! * size];
          change += (1 - 2 * off[from + a]!) * weight[from + a]! + (1 + 2 * off[from + b]!) * weight[from + b]!;
          change += (1 - 2 * off[to + b]!) * weight[to + b]! + (1 + 2 * off[to + a]!) * weight[to + a]!;
        }
        if (change >= 0) continue;
        for (let at = 0; at < beside.length; at++) {
          const own = beside[at]!.levels;
          const off = counts[at]!;
          const [from, to] = [own[one]! * size, own[two]! * size];
          off[from + a]! -= 1;
          off[from + b]! += 1;
          off[to + b]! -= 1;
          off[to + a]! += 1;
        }
        levels[one] = b;
        levels[two] = a;
      }
    }
}
