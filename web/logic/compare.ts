/** Real against synthetic, column by column: the two distributions on common bins or levels. */
import { numberOf, scaleOf } from './cells.ts';
import { middleRange, quantilesOf, type Range, sharesOfQuantiles, sharesOfValues } from './histogram.ts';
import type { ColumnReport } from './roles.ts';

export type Comparison =
  | { kind: 'bars'; name: string; real: number[]; synthetic: number[]; range: Range; isTime: boolean }
  | { kind: 'levels'; name: string; levels: { level: string; real: number; synthetic: number }[] };

const BINS = 24;
const MOST_LEVELS = 8;
const QUARTERS = [0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1];

/**
 * The column's picture of POST /upload, or the real cells where they are at hand, against the synthetic cells.
 * Undefined where nothing can be compared: free text, identifiers, and times of a form that a browser cannot read.
 */
export function compareColumn(
  column: ColumnReport,
  synthetic: readonly string[],
  real: readonly string[] | undefined,
): Comparison | undefined {
  const { picture, dress, name } = column;
  if (picture?.kind === 'levels') return compareLevels(name, picture, synthetic);
  if (picture?.kind !== 'quantiles' || !dress) return undefined;
  const made = synthetic.map((cell) => numberOf(cell, dress));
  const values = real?.map((cell) => numberOf(cell, dress)).filter(Number.isFinite) ?? [];
  const scale = scaleOf(dress);
  if (!made.some(Number.isFinite) || (values.length === 0 && scale === undefined)) return undefined;
  const isTime = dress.kind === 'time';
  const from =
    values.length > 0
      ? { probabilities: QUARTERS, values: quantilesOf(values, QUARTERS) }
      : { probabilities: picture.probabilities, values: picture.values.map((value) => value * (scale ?? 1)) };
  const range = middleRange(from.probabilities, from.values);
  const shares =
    values.length > 0
      ? sharesOfValues(values, range, BINS)
      : sharesOfQuantiles(from.probabilities, from.values, range, BINS);
  return { kind: 'bars', name, range, isTime, real: shares, synthetic: sharesOfValues(made, range, BINS) };
}

function compareLevels(
  name: string,
  { levels, others }: { levels: [string, number][]; others: number },
  synthetic: readonly string[],
): Comparison {
  const all = levels.reduce((sum, [, count]) => sum + count, others) || 1;
  const counts = new Map<string, number>();
  let made = 0;
  for (const cell of synthetic) {
    if (cell === '') continue;
    counts.set(cell, (counts.get(cell) ?? 0) + 1);
    made++;
  }
  const named = levels.slice(0, MOST_LEVELS).map(([level, count]) => ({
    level,
    real: count / all,
    synthetic: (counts.get(level) ?? 0) / (made || 1),
  }));
  const rest = named.reduce(
    (left, { real, synthetic: share }) => ({ real: left.real - real, synthetic: left.synthetic - share }),
    {
      real: 1,
      synthetic: 1,
    },
  );
  const other = { level: 'all others', real: Math.max(0, rest.real), synthetic: Math.max(0, rest.synthetic) };
  return { kind: 'levels', name, levels: other.real + other.synthetic > 1e-9 ? [...named, other] : named };
}
