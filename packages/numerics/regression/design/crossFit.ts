/**
 * Cross-fits leaves of trees (Chernozhukov et al. 2018; honest trees: Wager and Athey 2018), since leaves chosen by the
 * rows that estimate their coefficients fit noise. Each half's rows use the trees of the other half; new rows average
 * both.
 */
import { shuffledRows } from '../../random/draws.ts';
import type { RandomStream } from '../../random/stream.ts';

export type Half = 0 | 1;

export const HALVES: readonly Half[] = [0, 1];

/** Assigns n training rows to random halves that differ by at most one row. */
export function drawHalves(n: number, random: RandomStream): Uint8Array {
  const halves = new Uint8Array(n);
  shuffledRows(n, random).forEach((row, at) => {
    halves[row] = at % 2;
  });
  return halves;
}
