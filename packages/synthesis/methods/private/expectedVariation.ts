/** What noise alone is expected to add to a private table: said before the start, from the budget, the rows and the domain. */
import { COLUMNS_SHARE, maxBinsFor } from './privateModel.ts';

/** Pairs that are measured, for each column, as AIM chooses them; and what the fit to all of them takes off their noise. */
const PAIRS_PER_COLUMN = 1.7;
const SMOOTHED = 0.63;
/** Levels of a category that rise above noise, at most. */
const LEVELS = 12;

/** Mean total variation of columns and of pairs, 0 to 1. `size` is the number of codes of a column's domain. */
export function expectedVariation(
  rho: number,
  rows: number,
  columns: readonly { size: number; domain: object }[],
): { columns: number; pairs: number } {
  const width = columns.length;
  const bins = columns.map(({ size, domain }) => Math.min(size, 'levels' in domain ? LEVELS : maxBinsFor(rho, width)));
  const mean = bins.reduce((sum, cells) => sum + cells, 0) / width;
  const single = mean * errorOf((COLUMNS_SHARE * rho) / width);
  const pair = mean ** 2 * errorOf(((1 - COLUMNS_SHARE) * rho) / (PAIRS_PER_COLUMN * width));
  const shareOf = (count: number): number => Number(Math.min(1, count / (2 * rows)).toPrecision(2));
  return { columns: shareOf(single), pairs: shareOf(SMOOTHED * pair) };
}

/** The mean size of the noise of a count that costs ρ. */
const errorOf = (rho: number): number => Math.sqrt(2 / Math.PI) / Math.sqrt(2 * rho);
