/** What a report's data come to, for whoever shows them: overlaps, scores by column, differences of associations. */
import type { AssociationGap, ColumnReport, ReportData, SequenceReport } from './report.ts';

/** What the two distributions have in common: 0 where no synthetic row has a cell. */
export const overlapOf = ({ overlap, real, synthetic }: ColumnReport): number | null =>
  overlap ?? real?.reduce((sum, share, at) => sum + Math.min(share, synthetic[at] ?? 0), 0) ?? null;

// Scores by column.

export interface Score {
  name: string;
  overlap: number | null;
  /** What two real samples have in common. */
  chance: number | null;
  /** Kolmogorov–Smirnov distance of numbers, total variation of levels. */
  distance: number | null;
  missing_real: number;
  missing_synthetic: number;
  /** Mean difference of its associations. */
  associations: number | null;
}

export function scoresOf({ columns, metrics, associations }: ReportData): Score[] {
  const measured = new Map(metrics.fidelity?.columns.map((column) => [column.name, column]));
  const tied = new Map(associations.differences?.columns.map(({ name, mean }) => [name, mean]));
  return columns.map((column) => {
    const { name, missing_real, missing_synthetic } = column;
    const own = measured.get(name);
    return {
      name,
      missing_real,
      missing_synthetic,
      overlap: overlapOf(column),
      chance: column.overlap_by_chance,
      distance: own?.ks ?? own?.total_variation ?? null,
      associations: tied.get(name) ?? null,
    };
  });
}

// Differences of associations: synthetic less real, for each pair of columns.

export interface Cell extends AssociationGap {
  /** Places of the two columns, the larger first: below the diagonal. */
  row: number;
  column: number;
  difference: number;
}

/** Pearson's correlations are left out: Spearman's are of the same pairs. */
export const associationCells = ({ columns, matrices }: ReportData['associations']): Cell[] =>
  matrices
    .filter(({ measure }) => measure !== 'pearson')
    .flatMap(({ measure, pairs }) =>
      pairs.flatMap(({ columns: [i, j], real, synthetic }): Cell[] => {
        const [a, b] = [columns[i], columns[j]];
        if (real === null || synthetic === null || a === undefined || b === undefined) return [];
        const [row, column] = [Math.max(i, j), Math.min(i, j)];
        return [{ measure, columns: [a, b], real, synthetic, row, column, difference: synthetic - real }];
      }),
    );

/** The pairs that differ most. */
export const largestGaps = ({ differences }: ReportData['associations'], most: number): AssociationGap[] =>
  (differences?.largest ?? []).slice(0, most);

/** How far chance moves a weak correlation between samples of these sizes, 19 times of 20. */
export const chanceOf = ({ real, synthetic }: { real: number; synthetic: number }): number =>
  1.96 * Math.sqrt(1 / Math.max(1, real) + 1 / Math.max(1, synthetic));

// Numbers from row to row of an entity.

/** Rows and numbers from the least to the greatest that a picture of it has, real and synthetic; undefined where it has none. */
export function spanOfSequences({ real, synthetic }: SequenceReport) {
  const rows = Math.max(real.length, ...(synthetic ?? []).map(({ length }) => length));
  const shown = [
    ...real.flatMap(({ q10, q90 }) => [q10, q90]),
    ...(synthetic ?? []).flat().filter((value) => value !== null),
  ];
  return shown.length === 0 ? undefined : { rows, low: Math.min(...shown), high: Math.max(...shown) };
}
