/**
 * Distances of one column: Kolmogorov-Smirnov and Wasserstein of numbers, total variation of levels (of tenths for
 * numbers), all over the cells that are there; and the shares of cells that are missing.
 */
import { present } from '../columns.ts';
import { kolmogorovSmirnov } from '../kolmogorovSmirnov.ts';
import { isConstant } from '../spread.ts';
import { wasserstein } from '../wasserstein.ts';
import type { EncodedColumn, EncodedTable } from './encodeTables.ts';
import { totalVariation } from './totalVariation.ts';

export interface ColumnDistances {
  ks: number | undefined;
  wasserstein: number | undefined;
  totalVariation: number | undefined;
  /** Shares of missing cells; undefined where the table has no row. */
  missing: readonly [number | undefined, number | undefined];
  /** Why one of them is undefined. */
  reason: string | null;
}

/** @param real, other the same column of two tables encoded together. */
export function columnDistances(real: EncodedColumn, other: EncodedColumn): ColumnDistances {
  const missing = [missingShare(real), missingShare(other)] as const;
  if (real.kind === 'numeric' && other.kind === 'numeric') {
    const [a, b] = [present(real.values), present(other.values)];
    if (a.length === 0 || b.length === 0) return without(missing, emptySide(a.length));
    const flat = isConstant(a);
    return {
      ks: kolmogorovSmirnov(a, b),
      wasserstein: flat ? undefined : wasserstein(a, b),
      totalVariation: totalVariation(countTenths(real.bins), countTenths(other.bins)),
      missing,
      reason: flat ? 'no spread in the real table' : null,
    };
  }
  if (real.kind !== 'category' || other.kind !== 'category') throw new RangeError('columns are of different kinds');
  const distance = totalVariation(countLevels(real.codes, real.levels), countLevels(other.codes, other.levels));
  if (distance === undefined) return without(missing, emptySide(real.codes.findIndex((code) => code >= 0) + 1));
  return { ks: undefined, wasserstein: undefined, totalVariation: distance, missing, reason: null };
}

const emptySide = (real: number): string => `no value in the ${real === 0 ? 'real' : 'synthetic'} table`;

const without = (missing: ColumnDistances['missing'], reason: string): ColumnDistances => ({
  ks: undefined,
  wasserstein: undefined,
  totalVariation: undefined,
  missing,
  reason,
});

function missingShare(column: EncodedColumn): number | undefined {
  let missing = 0;
  const length = column.bins.length;
  if (column.kind === 'numeric') for (const value of column.values) missing += Number.isFinite(value) ? 0 : 1;
  else for (const code of column.codes) missing += code < 0 ? 1 : 0;
  return length > 0 ? missing / length : undefined;
}

/** Numbers have the bins 0 … 9; the missing bin is left out. */
function countTenths(bins: Uint8Array): Int32Array {
  const counts = new Int32Array(10);
  for (const bin of bins) if (bin < 10) counts[bin]!++;
  return counts;
}

function countLevels(codes: Int32Array, levels: number): Int32Array {
  const counts = new Int32Array(levels);
  for (const code of codes) if (code >= 0) counts[code]!++;
  return counts;
}

/** Mean over columns of the difference in the share of missing cells; undefined where there is no column or row. */
export function missingnessGap(columns: readonly ColumnDistances[]): number | undefined {
  const gaps = columns.map(({ missing: [a, b] }) =>
    a === undefined || b === undefined ? Number.NaN : Math.abs(a - b),
  );
  return meanDefined(gaps);
}

export function meanDefined(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined).filter((value) => !Number.isNaN(value));
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value / known.length, 0);
}

export const allDistances = (real: EncodedTable, other: EncodedTable): ColumnDistances[] =>
  real.columns.map((column, at) => columnDistances(column, other.columns[at]!));
