/**
 * A table under differential privacy: columns and pairs are measured with noise, and all rows come from the measurements.
 * Nothing but `curator` sees a cell.
 */
import { z } from 'zod';
import { deal, drawTree } from '../../numerics/markov/drawTree.ts';
import { createMarkovModel } from '../../numerics/markov/markovModel.ts';
import type { Curator } from '../../numerics/privacy/curator.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import { MISSING } from '../../tables/table.ts';
import type { CodedColumn } from './codes.ts';
import { selectPairs } from './selectPairs.ts';
import { binCodes, type ColumnSketch, sketchColumn } from './sketchColumn.ts';

const numbers = z.array(z.number());

export const privateModelSchema = z.object({
  format: z.literal('synthetic-tables-private/1'),
  /** Rows, as far as noise lets them be known. */
  total: z.number(),
  columns: z.array(
    z.object({
      name: z.string(),
      /** One more than the ranges: the last is the number of codes. */
      edges: numbers,
      weights: numbers,
      bins: numbers,
      size: z.int(),
      hasMissing: z.boolean(),
      counts: numbers,
      variances: numbers,
    }),
  ),
  /** Noisy counts of pairs, and the fitted potentials of everything that was measured. */
  pairs: z.array(z.object({ scope: numbers, counts: numbers, variance: z.number() })),
  potentials: z.array(z.object({ scope: numbers, theta: numbers })),
});

export type PrivateModel = z.output<typeof privateModelSchema>;

/** What the columns by themselves take of the budget. */
export const COLUMNS_SHARE = 0.15;
const MIN_BINS = 8;
const MAX_BINS = 16;
const BINS_PER_PRECISION = 160;

export interface PrivateFit {
  columns: readonly CodedColumn[];
  /** The column that is to be predicted, whose pairs come first; null where there is none. */
  target: string | null;
  curator: Curator;
  /** What may be spent. */
  rho: number;
  onRound(share: number): Promise<void>;
  yieldToEventLoop(): Promise<void>;
}

export async function fitPrivately({ columns, target, curator, rho, ...hooks }: PrivateFit): Promise<PrivateModel> {
  const own = (COLUMNS_SHARE * rho) / columns.length;
  const sketches: ColumnSketch[] = [];
  for (const column of columns) {
    await hooks.yieldToEventLoop();
    sketches.push(sketchColumn(column, curator, own, maxBinsFor(rho, columns.length)));
  }
  const total = totalOf(sketches);
  const singles = sketches.map(({ counts, variances }, at) => ({ scope: [at], counts, variances }));
  const { measured, fitted } = await selectPairs({
    ...hooks,
    bins: columns.map(({ codes }, at) => binCodes(codes, sketches[at]!)),
    sizes: sketches.map(({ size }) => size),
    measured: singles,
    total,
    target: target === null ? null : columns.findIndex(({ name }) => name === target),
    curator,
    rho: rho - curator.spent(),
  });
  return {
    format: 'synthetic-tables-private/1',
    total,
    columns: sketches.map((sketch, at) => ({ name: columns[at]!.name, ...sketch })),
    pairs: measured.slice(singles.length).map(({ scope, counts, variances }) => ({
      ...{ scope: [...scope], counts: Array.from(counts), variance: variances[0]! },
    })),
    potentials: fitted.potentials.map(({ scope, theta }) => ({ scope: [...scope], theta: Array.from(theta) })),
  };
}

/** Bins of numbers: fewer where the noise of a pair would drown them. */
export function maxBinsFor(rho: number, columns: number): number {
  const precision = Math.sqrt((2 * rho) / columns);
  return Math.round(Math.min(MAX_BINS, Math.max(MIN_BINS, BINS_PER_PRECISION * precision)));
}

/** Each column's sum says it, as precisely as its cells are few. */
function totalOf(sketches: readonly ColumnSketch[]): number {
  let [sum, weight] = [0, 0];
  for (const { counts, variances } of sketches) {
    const precise = 1 / variances.reduce((a, b) => a + b, 0);
    sum += precise * counts.reduce((a, b) => a + b, 0);
    weight += precise;
  }
  return Math.max(1, Math.round(sum / weight));
}

/** Codes of rows, column by column: a function of the measurements and the stream alone. */
export async function drawPrivately(
  { columns, potentials }: PrivateModel,
  rows: number,
  random: RandomStream,
  yieldToEventLoop: () => Promise<void>,
): Promise<Int32Array[]> {
  const sizes = columns.map(({ size }) => size);
  const factors = potentials.map(({ scope, theta }) => ({ scope, theta: Float64Array.from(theta) }));
  const bins = await drawTree(createMarkovModel(sizes, factors), rows, random.child('bins'), yieldToEventLoop);
  return columns.map((column, at) => drawCodes(column, bins[at]!, random.child(column.name)));
}

type SavedColumn = PrivateModel['columns'][number];

/** Within its bin, a row gets a range by the ranges' weights, and any code of the range. */
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
