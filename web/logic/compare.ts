import type { Axis, ColumnReport } from '../../packages/contract/report.ts';
import { overlapOf, type Score } from '../../packages/contract/reportScores.ts';

export type ChartOrder = 'worst' | 'table';

/** Ignores case. */
export function chartsOf(columns: readonly ColumnReport[], searched: string, order: ChartOrder): ColumnReport[] {
  const text = searched.trim().toLowerCase();
  const found = columns.filter(({ axis, name }) => axis !== null && name.toLowerCase().includes(text));
  return order === 'table' ? found : found.toSorted((a, b) => (overlapOf(a) ?? 2) - (overlapOf(b) ?? 2));
}

export function ticksThatFit({ ticks }: Axis, width: number, character: number): Axis['ticks'] {
  const longest = Math.max(1, ...ticks.map(({ text }) => text.length + 2));
  const every = Math.max(1, Math.ceil((ticks.length * longest * character) / width));
  return ticks.filter((_, at) => at % every === 0);
}

export type ScoreKey = keyof Score;

/** Negated if small scores are worse. */
const badness = (score: Score, key: Exclude<ScoreKey, 'name'>): number => {
  const value = score[key];
  if (value === null) return Number.NEGATIVE_INFINITY;
  return key === 'overlap' || key === 'chance' ? -value : value;
};

/** Worst first (`isReversed`: best first), ties by name. */
export function sortScores(scores: readonly Score[], key: ScoreKey, { isReversed } = { isReversed: false }): Score[] {
  const turn = isReversed ? -1 : 1;
  const byName = (a: Score, b: Score) => a.name.localeCompare(b.name, 'en');
  if (key === 'name') return scores.toSorted((a, b) => turn * byName(a, b));
  return scores.toSorted((a, b) => turn * (badness(b, key) - badness(a, key)) || byName(a, b));
}
