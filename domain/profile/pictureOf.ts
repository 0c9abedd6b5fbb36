/** What a small picture of a column's distribution is drawn from: a few figures of its profile. */
import { redress } from '../dress/dress.ts';
import type { ColumnPicture } from '../schema/columnPicture.ts';
import type { ColumnProfile } from './profile.ts';
import { QUANTILE_SHARES } from './summariseNumbers.ts';

/** Levels that a picture names; the others are counted together. */
const MOST_LEVELS = 12;

/**
 * Quantiles of numbers and times, the most frequent levels of a category, lengths of texts and identifiers. Null where
 * there is nothing to draw. `rows` is the number of rows of the table.
 */
export function pictureOf(column: ColumnProfile, rows: number): ColumnPicture | null {
  const { kind, numbers, lengths } = column;
  if ((kind === 'continuous' || kind === 'datetime') && numbers && column.dress) {
    const { quantiles } = numbers;
    const written = (at: number) => redress(quantiles[at]!, column.dress!);
    const ends = { low: written(0), middle: written((quantiles.length - 1) / 2), high: written(quantiles.length - 1) };
    return { kind: 'quantiles', probabilities: [...QUANTILE_SHARES], values: quantiles, ...ends };
  }
  if (kind === 'categorical') {
    const levels = column.top_levels.slice(0, MOST_LEVELS);
    const named = levels.reduce((sum, [, count]) => sum + count, 0);
    return { kind: 'levels', levels, others: Math.max(0, rows - column.missing - named) };
  }
  return lengths && kind !== 'empty' ? { kind: 'lengths', ...lengths } : null;
}
