/**
 * Distances from held-out rows, and those of real samples by chance. Training rows would be a biased reference, as
 * models follow their noise.
 */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { ascendingRows } from '../../../numerics/rows.ts';
import type { OnProgress } from '../../models/model.ts';
import type { MeasuredColumns } from '../columns.ts';
import { VERDICT_Z } from '../intervals.ts';
import { MADE, type Made, type Part, type Parts, sampleRows } from '../parts.ts';
import { pairsOf } from './associations.ts';
import { type EncodedTable, encodeTables, joinEncoded, takeEncoded } from './encodeTables.ts';
import {
  type ColumnDistances,
  type Combination,
  type Combinations,
  DISTANCES,
  type Distances,
  distancesBetween,
  meanDefined,
  summarise,
} from './summarise.ts';

const MAX_TRIPLES = 60;

const COMPARED_ROWS = 10_000;

/** Wider tables use fewer rows. */
const REAL_CELLS = 1_000_000;

/** Redrawn real samples; more for small tables. */
const REDRAWN = { least: 7, most: 31, cells: 3_000_000 };

/** Samples of a larger table, to average out sampling error. */
const SAMPLED = { most: 8, cells: 3_000_000 };

export interface ComparedPart {
  made: Record<Made, Distances>;
  /** Training rows first; empty without a holdout. */
  real: Distances[];
  /** Compared rows, and held-out (else training) ones. */
  compared: number;
  reference: number;
  columns: ColumnDistances[];
  missingnessByChance: number;
}

export interface Comparison {
  parts: readonly ComparedPart[];
  /** Numbers, then categories. */
  names: readonly string[];
  combinations: Combinations;
}

export async function compareParts(
  { parts, columns }: Parts,
  random: RandomStream,
  onProgress: OnProgress,
): Promise<Comparison> {
  const names = [...columns.numeric, ...columns.categorical];
  const combinations: Combinations = {
    pairs: pairsOf(names.length),
    triples: sampleTriples(names.length, random.child('triples')),
  };
  const compared: ComparedPart[] = [];
  for (const [at, part] of parts.entries()) {
    const task = { part, columns, combinations, redraw: parts.length === 1, random: random.child(`part ${at}`) };
    compared.push(comparePart(task));
    await onProgress({
      stage: 'measure',
      fact: 'columns_compared',
      columns: names.length,
      rows: compared[at]!.compared,
    });
  }
  return { parts: compared, names, combinations };
}

interface ComparisonTask {
  part: Part;
  columns: MeasuredColumns;
  combinations: Combinations;
  redraw: boolean;
  random: RandomStream;
}

function comparePart({ part, columns, combinations, redraw, random }: ComparisonTask): ComparedPart {
  const { train, holdout } = part;
  const tables = [train, part.synthetic, part.independent, part.swapped, ...(holdout ? [holdout] : [])];
  const [trained, synthetic, independent, swapped, held] = encodeTables(tables, columns);
  const width = Math.max(1, trained!.columns.length);
  const draw = (table: EncodedTable, rows: number, name: string): EncodedTable =>
    takeEncoded(table, sampleRows(table.rows, rows, random.child(name)));
  const real = draw(held ?? trained!, Math.min(COMPARED_ROWS, Math.floor(REAL_CELLS / width)), 'real');
  const compared = Math.min(COMPARED_ROWS, Math.floor(REAL_CELLS / width), synthetic!.rows, trained!.rows);
  const summary = summarise(real, combinations);
  const others = { synthetic: synthetic!, independent: independent!, swapped: swapped! };
  const against = (table: EncodedTable, name: string): TableDistances => {
    const own = summarise(draw(table, compared, name), combinations);
    return distancesBetween(summary, own);
  };
  const sampled = (table: EncodedTable, name: string): TableDistances => {
    const times = timesSampled(table.rows, compared, width + combinations.pairs.length);
    return meanOf(Array.from({ length: times }, (_, at) => against(table, at ? `${name} ${at}` : name)));
  };
  const found = Object.fromEntries(MADE.map((name) => [name, sampled(others[name], name)]));
  const own = found.synthetic!;
  const reals = held ? [against(trained!, 'train').distances] : [];
  if (held && redraw) reals.push(...redrawn(joinEncoded(trained!, held), compared, real.rows, combinations, random));
  return {
    made: {
      synthetic: own.distances,
      independent: found.independent!.distances,
      swapped: found.swapped!.distances,
    },
    real: reals,
    compared,
    reference: real.rows,
    columns: own.columns,
    missingnessByChance: missingnessByChance(own.columns, real.rows, compared),
  };
}

function timesSampled(rows: number, compared: number, cellsOfRow: number): number {
  if (compared === 0) return 1;
  const room = Math.floor(SAMPLED.cells / (compared * cellsOfRow));
  return Math.max(1, Math.min(SAMPLED.most, Math.floor(rows / compared), room));
}

type TableDistances = ReturnType<typeof distancesBetween>;

function meanOf(samples: readonly TableDistances[]): TableDistances {
  const [first] = samples;
  if (!first || samples.length === 1) return first!;
  const mean = (of: (sample: TableDistances) => number | undefined) => meanDefined(samples.map(of));
  const distances = Object.fromEntries(DISTANCES.map((name) => [name, mean((one) => one.distances[name])]));
  const columns = first.columns.map(
    ({ missing }, at): ColumnDistances => ({
      ks: mean(({ columns }) => columns[at]!.ks),
      wasserstein: mean(({ columns }) => columns[at]!.wasserstein),
      totalVariation: mean(({ columns }) => columns[at]!.totalVariation),
      missing: [missing[0], mean(({ columns }) => columns[at]!.missing[1])],
      reason: samples.every(({ columns }) => columns[at]!.reason) ? first.columns[at]!.reason : null,
    }),
  );
  return { distances: { ...first.distances, ...distances }, columns };
}

/** Approximates the quantile by columns missing together, since redrawn samples may have too few missing cells. */
function missingnessByChance(columns: readonly ColumnDistances[], real: number, other: number): number {
  const errors = columns.map(({ missing: [a, b] }) => {
    const share = ((a ?? 0) * real + (b ?? 0) * other) / (real + other);
    return Math.sqrt(share * (1 - share) * (1 / real + 1 / other));
  });
  return VERDICT_Z * (meanDefined(errors) ?? 0);
}

/** The reference is disjoint and as large as the holdout. */
function redrawn(
  pool: EncodedTable,
  compared: number,
  reference: number,
  combinations: Combinations,
  random: RandomStream,
): Distances[] {
  const cells = (reference + compared) * (pool.columns.length + combinations.pairs.length);
  const times = Math.min(REDRAWN.most, Math.max(REDRAWN.least, Math.floor(REDRAWN.cells / Math.max(1, cells))));
  return Array.from({ length: times }, (_, at) => {
    const stream = random.child(`redrawn ${at}`);
    const drawn = sampleRows(pool.rows, compared, stream);
    const isDrawn = new Uint8Array(pool.rows);
    for (const row of drawn) isDrawn[row] = 1;
    const left = ascendingRows(pool.rows).filter((row) => isDrawn[row] === 0);
    const kept = sampleRows(left.length, reference, stream.child('kept')).map((row) => left[row]!);
    const [others, own] = [takeEncoded(pool, kept), takeEncoded(pool, drawn)];
    return distancesBetween(summarise(others, combinations), summarise(own, combinations)).distances;
  });
}

function sampleTriples(columns: number, random: RandomStream): Combination[] {
  if (columns < 3) return [];
  const chosen = new Map<string, Combination>();
  const all = (columns * (columns - 1) * (columns - 2)) / 6;
  const wanted = Math.min(MAX_TRIPLES, all);
  while (chosen.size < wanted) {
    const drawn = new Set<number>();
    while (drawn.size < 3) drawn.add(random.integer(columns));
    const triple = [...drawn].sort((a, b) => a - b);
    chosen.set(triple.join(), triple);
  }
  return [...chosen.values()];
}
