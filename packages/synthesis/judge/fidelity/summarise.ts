/** Summaries of tables and distances between them (0 is best). */

import { present } from '../columns.ts';
import { isConstant, kolmogorovSmirnov, totalVariation, wasserstein } from '../distances.ts';
import {
  type Association,
  type Associations,
  associationGap,
  associationsOf,
  type Pair,
  strengthGap,
} from './associations.ts';
import { BINS, type EncodedColumn, type EncodedTable } from './encodeTables.ts';

export interface Combinations {
  pairs: readonly Pair[];
  triples: readonly Combination[];
}

export interface Summary {
  table: EncodedTable;
  one: Int32Array[];
  two: Int32Array[];
  three: Int32Array[];
  associations: Associations;
}

export function summarise(table: EncodedTable, { pairs, triples }: Combinations): Summary {
  return {
    table,
    one: table.columns.map((_, column) => countCells(table, [column])),
    two: pairs.map((pair) => countCells(table, pair)),
    three: triples.map((triple) => countCells(table, triple)),
    associations: associationsOf(table, pairs),
  };
}

export const DISTANCES = [
  'one_way',
  'two_way',
  'three_way',
  'ks',
  'wasserstein',
  'total_variation',
  'missingness',
  'pearson',
  'spearman',
  'correlation_ratio',
  'cramers_v',
  'association_strength',
] as const;

export type DistanceName = (typeof DISTANCES)[number];

export type Distances = Record<DistanceName, number | undefined>;

export function distancesBetween(real: Summary, other: Summary): { distances: Distances; columns: ColumnDistances[] } {
  const columns = allDistances(real.table, other.table);
  const levels = columns.filter((_, at) => real.table.columns[at]!.kind === 'category');
  const gap = (name: Association) => associationGap(real.associations[name], other.associations[name]);
  const distances = {
    one_way: meanVariation(real.one, other.one),
    two_way: meanVariation(real.two, other.two),
    three_way: meanVariation(real.three, other.three),
    ks: meanDefined(columns.map(({ ks }) => ks)),
    wasserstein: meanDefined(columns.map(({ wasserstein }) => wasserstein)),
    total_variation: meanDefined(levels.map(({ totalVariation }) => totalVariation)),
    missingness: missingnessGap(columns),
    pearson: gap('pearson'),
    spearman: gap('spearman'),
    correlation_ratio: gap('correlation_ratio'),
    cramers_v: gap('cramers_v'),
    association_strength: strengthGap(real.associations.strength, other.associations.strength),
  };
  return { distances, columns };
}

// Distances over present cells: Kolmogorov-Smirnov and Wasserstein for numbers, total variation for levels or tenths.

export interface ColumnDistances {
  ks: number | undefined;
  wasserstein: number | undefined;
  totalVariation: number | undefined;
  /** Undefined without rows. */
  missing: readonly [number | undefined, number | undefined];
  reason: string | null;
}

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
      reason: flat ? 'it does not vary in the real table' : null,
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

function missingnessGap(columns: readonly ColumnDistances[]): number | undefined {
  const gaps = columns.map(({ missing: [a, b] }) =>
    a === undefined || b === undefined ? Number.NaN : Math.abs(a - b),
  );
  return meanDefined(gaps);
}

export function meanDefined(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined).filter((value) => !Number.isNaN(value));
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value / known.length, 0);
}

const allDistances = (real: EncodedTable, other: EncodedTable): ColumnDistances[] =>
  real.columns.map((column, at) => columnDistances(column, other.columns[at]!));

// Accuracy of one- to three-way tables: 1 − mean total variation distance of binned counts (as in TabularARGN and
// mostlyai-qa), compared at equal row counts.

export type Combination = readonly number[];

/** Joint bin counts (BINS^k). */
export function countCells({ rows, columns }: EncodedTable, combination: Combination): Int32Array {
  const counts = new Int32Array(BINS ** combination.length);
  const bins = combination.map((column) => columns[column]!.bins);
  const none = new Uint8Array(rows);
  const [a, b, c] = [bins.at(-3) ?? none, bins.at(-2) ?? none, bins.at(-1) ?? none];
  for (let row = 0; row < rows; row++) counts[(a[row]! * BINS + b[row]!) * BINS + c[row]!]!++;
  return counts;
}

export function meanVariation(real: readonly Int32Array[], other: readonly Int32Array[]): number | undefined {
  if (real.length === 0) return undefined;
  let sum = 0;
  for (const [at, counts] of real.entries()) {
    const distance = totalVariation(counts, other[at]!);
    if (distance === undefined) return undefined;
    sum += distance;
  }
  return sum / real.length;
}
