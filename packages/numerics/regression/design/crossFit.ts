/**
 * Cross-fitting of the leaves of trees (Chernozhukov et al., 2018; honest trees: Wager and Athey, 2018). Leaves that are chosen by
 * the responses of the rows to which their coefficients are fitted describe the noise of these rows, and intervals do not know of the
 * choice. Therefore trees are grown on each half of the rows, and each row is explained by the trees of the other half alone.
 * A new row has the mean of both.
 */
import { shuffledRows } from '../../random/draws.ts';
import type { RandomStream } from '../../random/stream.ts';

export type Half = 0 | 1;

export const HALVES: readonly Half[] = [0, 1];

/** The half that each of n training rows belongs to, at random and as large as the other, give or take a row. */
export function drawHalves(n: number, random: RandomStream): Uint8Array {
  const halves = new Uint8Array(n);
  shuffledRows(n, random).forEach((row, at) => {
    halves[row] = at % 2;
  });
  return halves;
}
