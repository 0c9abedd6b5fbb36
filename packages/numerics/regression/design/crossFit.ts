/**
 * Cross-fits leaves of trees (Chernozhukov et al. 2018; Wager and Athey 2018): leaves chosen by the same rows fit
 * noise. Rows use the trees of the other half; new rows average both.
 */
import { shuffledRows } from '../../random/draws.ts';
import type { RandomStream } from '../../random/stream.ts';

export type Half = 0 | 1;

export const HALVES: readonly Half[] = [0, 1];

/** Assigns n rows to random, equal halves. */
export function drawHalves(n: number, random: RandomStream): Uint8Array {
  const halves = new Uint8Array(n);
  shuffledRows(n, random).forEach((row, at) => {
    halves[row] = at % 2;
  });
  return halves;
}
