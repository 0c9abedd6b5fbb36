import type { AssociationGap, ColumnReport, ReportData, SequenceReport } from './report.ts';

/** Overlap of the two distributions. 0 if no synthetic row has a cell. */
export const overlapOf = ({ overlap, real, synthetic }: ColumnReport): number | null =>
  overlap ?? real?.reduce((sum, share, at) => sum + Math.min(share, synthetic[at] ?? 0), 0) ?? null;

export interface Score {
  name: string;
  overlap: number | null;
  chance: number | null;
  /** Kolmogorov–Smirnov distance of numbers, total variation of levels. */
  distance: number | null;
  missing_real: number;
  missing_synthetic: number;
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

// A pair of columns with its difference, synthetic − real.

export interface Cell extends AssociationGap {
  /** Column indices, larger first (below the diagonal). */
  row: number;
  column: number;
  difference: number;
}

/** Omits Pearson correlations, because Spearman covers the same pairs. */
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

/** For version 0.1, selects from the listed pairs. */
export const largestGaps = ({ differences }: ReportData['associations'], most: number): AssociationGap[] =>
  (differences?.largest ?? []).slice(0, most);

export const chanceOf = ({ real, synthetic }: { real: number; synthetic: number }): number =>
  1.96 * Math.sqrt(1 / Math.max(1, real) + 1 / Math.max(1, synthetic));

/** Rows and value range to plot; undefined if nothing is left. */
export function spanOfSequences({ real, synthetic }: SequenceReport) {
  const rows = Math.max(real.length, ...(synthetic ?? []).map(({ length }) => length));
  const shown = [
    ...real.flatMap(({ q10, q90 }) => [q10, q90]),
    ...(synthetic ?? []).flat().filter((value) => value !== null),
  ];
  return shown.length === 0 ? undefined : { rows, low: Math.min(...shown), high: Math.max(...shown) };
}
