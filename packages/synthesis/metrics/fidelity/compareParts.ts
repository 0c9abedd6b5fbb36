/**
 * The distances of every table of a part from its held-out rows, and what chance alone makes of them: the distances of as many
 * training rows, and of as many rows redrawn from all real ones, from as many others. Models follow the sampling noise of the rows
 * that they were fitted to, so that distances from those would say less than they seem to.
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

/** Triples of columns that are looked at, at most. */
const MAX_TRIPLES = 60;

/** Rows of a table that is compared, at most. */
const COMPARED_ROWS = 10_000;

/** Cells of the held-out rows, at most: of a wider table fewer rows are looked at. */
const REAL_CELLS = 1_000_000;

/** Times that real samples are redrawn, beside the training rows, if there is one part: of small tables oftener. */
const REDRAWN = { least: 7, most: 31, cells: 3_000_000 };

/** Samples of a made table that has more rows than are compared, at most: one would be off by its own chance. */
const SAMPLED = { most: 8, cells: 3_000_000 };

export interface ComparedPart {
  made: Record<Made, Distances>;
  /** Distances of real rows, first of the training rows; none if no rows were held out. */
  real: Distances[];
  /** Rows compared, and held-out rows compared with (training rows, if none were held out). */
  compared: number;
  reference: number;
  /** Distances of the synthetic rows. */
  columns: ColumnDistances[];
  /** The missingness distance that chance makes of as many missing cells. */
  missingnessByChance: number;
}

/** All parts compared, and which of their columns were looked at together. */
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

/** Of several samples of one table. */
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

/**
 * Missing cells may be so few that no redrawn sample has more of them. The mean over columns of the quantile of the
 * difference of two shares, as if columns were missing together.
 */
function missingnessByChance(columns: readonly ColumnDistances[], real: number, other: number): number {
  const errors = columns.map(({ missing: [a, b] }) => {
    const share = ((a ?? 0) * real + (b ?? 0) * other) / (real + other);
    return Math.sqrt(share * (1 - share) * (1 / real + 1 / other));
  });
  return VERDICT_Z * (meanDefined(errors) ?? 0);
}

/** Real rows drawn from all there are, against as many of the others as were held out. */
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

/** Triples of columns, all of them or a random choice. */
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
