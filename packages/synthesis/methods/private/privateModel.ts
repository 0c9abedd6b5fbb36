/** Measures a table with differential privacy and draws rows. Only `curator` reads cells. */
import { z } from 'zod';
import { deal, drawTree } from '../../../numerics/markov/drawTree.ts';
import type { MeasuredMarginal } from '../../../numerics/markov/fitMarginals.ts';
import { createMarkovModel } from '../../../numerics/markov/markovModel.ts';
import type { Curator } from '../../../numerics/privacy/curator.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { MISSING } from '../../../tables/table.ts';
import { type CodedColumn, isLevels } from './codes.ts';
import { FEW_NUMBERS, sumOf } from './countRanges.ts';
import { type CellCounts, FINER_BINS, pairWithTarget } from './pairWithTarget.ts';
import { PAIR_PULL, selectPairs } from './selectPairs.ts';
import { binCodes, type ColumnSketch, sketchColumn } from './sketchColumn.ts';

const numbers = z.array(z.number());

export const privateModelSchema = z.object({
  format: z.literal('synthetic-tables-private/1'),
  /** Estimated rows. */
  total: z.number(),
  columns: z.array(
    z.object({
      name: z.string(),
      edges: numbers,
      weights: numbers,
      bins: numbers,
      size: z.int(),
      hasMissing: z.boolean(),
      counts: numbers,
      variances: numbers,
    }),
  ),
  /** Drawing uses only potentials. Earlier versions have one variance per pair. */
  pairs: z.array(z.object({ scope: numbers, counts: numbers, variances: numbers.default([]) })),
  potentials: z.array(z.object({ scope: numbers, theta: numbers })),
});

export type PrivateModel = z.output<typeof privateModelSchema>;

/** Budget share of single columns. */
export const COLUMNS_SHARE = 0.15;
/** Relative cost of columns with too many numbers to count singly. */
const MANY_WEIGHT = 3;
const MANY_PAIR_WEIGHT = 2;
/** Budget share of columns by target, times bins. */
const TARGET_SHARE_OF_BINS = 4.5;
const MIN_BINS = 8;
const MAX_BINS = 16;
const BINS_PER_PRECISION = 160;

export interface PrivateFit {
  columns: readonly CodedColumn[];
  /** Its pairs come first. */
  target: string | null;
  curator: Curator;
  rho: number;
  onRound(share: number): Promise<void>;
  yieldToEventLoop(): Promise<void>;
}

export async function fitPrivately(fit: PrivateFit): Promise<PrivateModel> {
  const { columns, target, curator, rho } = fit;
  const at = target === null ? null : columns.findIndex(({ name }) => name === target);
  const own = await sketchAll(fit, at);
  const total = totalOf(own);
  const { sketches, singles, pairs } = at === null ? measuredAlone(own) : await measuredBy(fit, own, { at, total });
  const measured = [...singles, ...pairs];
  const { measured: all, fitted } = await selectPairs({
    ...fit,
    bins: columns.map(({ codes }, column) => binCodes(codes, sketches[column]!)),
    sizes: sketches.map(({ size }) => size),
    measured,
    total,
    target: at,
    rho: rho - curator.spent(),
  });
  return {
    format: 'synthetic-tables-private/1',
    total,
    columns: sketches.map((sketch, column) => ({ name: columns[column]!.name, ...sketch })),
    pairs: all.slice(singles.length).map(({ scope, counts, variances }) => ({
      scope: [...scope],
      counts: Array.from(counts),
      variances: Array.from(variances),
    })),
    potentials: fitted.potentials.map(({ scope, theta }) => ({ scope: [...scope], theta: Array.from(theta) })),
  };
}

/** Bins are finer before the target merges some. */
async function sketchAll({ columns, curator, rho, yieldToEventLoop }: PrivateFit, at: number | null) {
  const finest = maxBinsFor(rho, columns.length);
  const costs = costsOf(columns, COLUMNS_SHARE * rho, MANY_WEIGHT);
  const sketches: ColumnSketch[] = [];
  for (const [column, coded] of columns.entries()) {
    await yieldToEventLoop();
    const maxBins = at === null || column === at ? finest : FINER_BINS * finest;
    sketches.push(sketchColumn(coded, curator, costs[column]!, maxBins));
  }
  return sketches;
}

function costsOf(columns: readonly Pick<CodedColumn, 'domain' | 'size'>[], rho: number, many: number): number[] {
  const weights = columns.map(({ domain, size }) => (isLevels(domain) || size <= FEW_NUMBERS ? 1 : many));
  const all = sumOf(weights);
  return weights.map((weight) => (rho * weight) / all);
}

interface Measured {
  sketches: ColumnSketch[];
  singles: MeasuredMarginal[];
  pairs: MeasuredMarginal[];
}

const measuredAlone = (sketches: ColumnSketch[]): Measured => ({
  sketches,
  singles: sketches.map(singleOf),
  pairs: [],
});

const singleOf = ({ counts, variances }: ColumnSketch, at: number): MeasuredMarginal => ({
  scope: [at],
  counts,
  variances,
});

async function measuredBy(
  { columns, curator, rho, yieldToEventLoop }: PrivateFit,
  own: readonly ColumnSketch[],
  { at, total }: { at: number; total: number },
): Promise<Measured> {
  const maxBins = maxBinsFor(rho, columns.length);
  const share = Math.min(1 / 2, TARGET_SHARE_OF_BINS / maxBins);
  const others = columns.filter((_, column) => column !== at);
  const costs = costsOf(others, share * rho, MANY_PAIR_WEIGHT);
  const target = own[at]!;
  const of = binCodes(columns[at]!.codes, target);
  const found: Measured = { sketches: [...own], singles: [singleOf(target, at)], pairs: [] };
  for (const [column, { codes, domain }] of columns.entries()) {
    if (column === at) continue;
    await yieldToEventLoop();
    const asked = { codes, sketch: own[column]!, isLevels: isLevels(domain), of, target, total, maxBins };
    const { sketch, cells } = pairWithTarget(asked, curator, costs[others.indexOf(columns[column]!)]!);
    found.sketches[column] = sketch;
    if (cells) found.pairs.push(inOrder(column, at, cells, [sketch.size, target.size]));
    else found.singles.push(singleOf(sketch, column));
  }
  return found;
}

/** Scopes ascend, last variable fastest. */
function inOrder(column: number, at: number, cells: CellCounts, [size, width]: [number, number]): MeasuredMarginal {
  if (column < at) return { scope: [column, at], ...cells, pull: PAIR_PULL };
  const turned = (values: ArrayLike<number>) =>
    Array.from(values, (_, cell) => values[(cell % size) * width + Math.floor(cell / size)]!);
  return { scope: [at, column], counts: turned(cells.counts), variances: turned(cells.variances), pull: PAIR_PULL };
}

/** Fewer bins if pairs would drown in noise. */
export function maxBinsFor(rho: number, columns: number): number {
  const precision = Math.sqrt((2 * rho) / columns);
  return Math.round(Math.min(MAX_BINS, Math.max(MIN_BINS, BINS_PER_PRECISION * precision)));
}

function totalOf(sketches: readonly ColumnSketch[]): number {
  let [sum, weight] = [0, 0];
  for (const { counts, variances } of sketches) {
    const precise = 1 / sumOf(variances);
    sum += precise * sumOf(counts);
    weight += precise;
  }
  return Math.max(1, Math.round(sum / weight));
}

export interface DrawPrivately {
  /** Associations are drawn within its levels. */
  target: string | null;
  random: RandomStream;
  yieldToEventLoop(): Promise<void>;
}

/** Depends on the measurements and the stream alone. */
export async function drawPrivately(
  { columns, potentials }: PrivateModel,
  rows: number,
  { target, random, yieldToEventLoop }: DrawPrivately,
): Promise<Int32Array[]> {
  const sizes = columns.map(({ size }) => size);
  const factors = potentials.map(({ scope, theta }) => ({ scope, theta: Float64Array.from(theta) }));
  const at = columns.findIndex(({ name }) => name === target);
  const options = { random: random.child('bins'), within: at < 0 ? null : at, yieldToEventLoop };
  const bins = await drawTree(createMarkovModel(sizes, factors), rows, options);
  return columns.map((column, i) => drawCodes(column, bins[i]!, random.child(column.name)));
}

type SavedColumn = PrivateModel['columns'][number];

/** Draws a range by weight, then a code uniformly. */
function drawCodes(column: SavedColumn, bins: Int32Array, random: RandomStream): Int32Array {
  const rowsOf = Array.from({ length: column.size }, (): number[] => []);
  for (const [row, bin] of bins.entries()) rowsOf[bin]!.push(row);
  const codes = new Int32Array(bins.length).fill(MISSING);
  for (const [bin, rows] of rowsOf.entries()) {
    const ranges = column.bins.flatMap((own, at) => (own === bin ? [at] : []));
    if (ranges.length === 0) continue;
    const dealt = deal(
      rows.length,
      ranges.map((at) => column.weights[at]!),
      random,
    );
    for (const [i, row] of rows.entries()) codes[row] = codeIn(column, ranges[dealt[i]!]!, random);
  }
  return codes;
}

function codeIn({ edges }: SavedColumn, range: number, random: RandomStream): number {
  const [from, to] = [edges[range]!, edges[range + 1]!];
  return from + (to - from > 1 ? random.integer(to - from) : 0);
}
