/** How far a number may be from the one that it should be, by the reason. */
import { expect } from 'vitest';

/** A distance that is already too far. */
export type Tolerance = (expected: number) => number;

/** Rounding of doubles, as a share of the expected number, or of 1 if that is smaller. */
export const exact =
  (share: number): Tolerance =>
  (expected) =>
    share * Math.max(1, Math.abs(expected));

/** Rounding of a number that keeps its digits however small it is. */
export const relative =
  (share: number): Tolerance =>
  (expected) =>
    share * Math.abs(expected);

/** Rounding of terms that cancel: as large as that of the terms, whatever is left of them. */
export const rounding =
  (error: number): Tolerance =>
  () =>
    error;

/** A difference quotient: truncation, and rounding divided by the step. */
export const difference =
  (error: number): Tolerance =>
  () =>
    error;

/** What a formula leaves out: the bound that theory, or the size of its grid, gives. */
export const approximation =
  (error: number): Tolerance =>
  () =>
    error;

/** Chance: the seeds are fixed, so that `count` bounds how unlikely they are. */
export const withinStandardErrors =
  (count: number, standardError: number): Tolerance =>
  () =>
    count * standardError;

export function expectNear(found: number, expected: number, tolerance: Tolerance, message?: string): void {
  if (found === expected) return;
  expect(Math.abs(found - expected), message ?? `${found} should be ${expected}`).toBeLessThan(tolerance(expected));
}
