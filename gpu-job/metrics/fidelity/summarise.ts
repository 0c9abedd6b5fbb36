/** What figures of fidelity need of one table, and the distances of two tables by it. 0 is best in every distance. */
import { type Combination, countCells, meanVariation } from './accuracy.ts';
import { type Association, type Associations, associationGap, associationsOf, type Pair } from './associations.ts';
import { allDistances, type ColumnDistances, meanDefined, missingnessGap } from './columnDistances.ts';
import type { EncodedTable } from './encodeTables.ts';

/** Which columns are looked at together. */
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
] as const;

export type DistanceName = (typeof DISTANCES)[number];

/** Undefined where no column, pair or triple has it. */
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
  };
  return { distances, columns };
}
