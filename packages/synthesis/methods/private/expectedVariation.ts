/** Expected error from noise, before the start. */
import { COLUMNS_SHARE, maxBinsFor } from './privateModel.ts';

/** Pairs per column that AIM measures, and noise left after fitting. */
const PAIRS_PER_COLUMN = 1.7;
const SMOOTHED = 0.63;
/** Maximum levels above noise. */
const LEVELS = 12;

/** Mean total variation of columns and pairs (0 to 1). `size` counts the domain's codes. */
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

/** Mean absolute noise of a count that costs ρ. */
const errorOf = (rho: number): number => Math.sqrt(2 / Math.PI) / Math.sqrt(2 * rho);
