/**
 * A column's bins counted by those of the target, before any pair is chosen: what the target is predicted by. Where bins are of
 * numbers they are merged then, those first that say the same of the target.
 */
import type { MeasuredMarginal } from '../../../numerics/markov/fitMarginals.ts';
import type { Curator } from '../../../numerics/privacy/curator.ts';
import { sumOf } from './countRanges.ts';
import { mergeBins } from './mergeBins.ts';
import { binCodes, type ColumnSketch, sumByBin } from './sketchColumn.ts';

/** How many times as many bins of numbers are counted by the target as are kept. */
export const FINER_BINS = 2;
/** Not those counts of which noise is expected to move a larger share of the rows. */
const MAX_NOISE = 0.15;
/** A merged bin of numbers holds this many of its standard errors, at least. */
const BIN_ERRORS = 1;
/** An excess over what independence makes expect is kept but for so much of its noise where it is far beyond that. */
const SURE_SQUARES = 2;
const SHRINK_STEPS = 30;

/** Of a marginal: noisy counts of its cells, and the variance of each. */
export type CellCounts = Pick<MeasuredMarginal, 'counts' | 'variances'>;

export interface TargetPair {
  /** The column with the bins that are kept, and their counts by both measurements. */
  sketch: ColumnSketch;
  /** Cells of its bins and the target's, the latter fastest; undefined where noise would drown them, and nothing was asked. */
  cells: CellCounts | undefined;
}

interface Asked {
  codes: Int32Array;
  sketch: ColumnSketch;
  isLevels: boolean;
  /** The target's bin of each row, and its bins. */
  of: Int32Array;
  target: ColumnSketch;
  total: number;
  maxBins: number;
}

/** Costs at most `rho`. */
export function pairWithTarget(asked: Asked, curator: Curator, rho: number): TargetPair {
  const { codes, sketch, of, target } = asked;
  const size = sketch.size * target.size;
  if (Math.sqrt(1 / (Math.PI * rho)) * size > MAX_NOISE * asked.total) {
    const counts = sketch.counts.map((count) => [count]);
    return { sketch: rebinned(sketch, keptBins(asked, sketch, counts, sketch.variances)), cells: undefined };
  }
  const bins = binCodes(codes, sketch);
  const cells = new Int32Array(size);
  for (const [row, bin] of bins.entries()) if (bin >= 0 && of[row]! >= 0) cells[bin * target.size + of[row]!]!++;
  const { counts, variance } = curator.count(cells, rho);
  const { agreed, excess, noise } = agree(sketch, target, counts, variance);
  const spread = agreed.variances.map((own) => own / target.size ** 2 + noise);
  const kept = keptBins(asked, agreed, excess, spread);
  const merged = excess[0]!.map((_, k) =>
    sumByBin(
      excess.map((own) => own[k]!),
      kept,
    ),
  );
  const variances = sumByBin(spread, kept);
  return {
    sketch: rebinned(agreed, kept),
    cells: {
      counts: variances.flatMap((_, bin) => merged.map((own) => own[bin]!)),
      variances: variances.flatMap((own) => merged.map(() => own)),
    },
  };
}

/** Bins' counts by the sketch and by their cells; and cells that add up to these, and differ from the target's shares by what is sure. */
function agree(sketch: ColumnSketch, target: ColumnSketch, counts: readonly number[], variance: number) {
  const width = target.size;
  const spread = width * variance;
  const noise = variance * (1 - 1 / width);
  const shares = target.counts.map((count) => Math.max(1, count));
  const all = sumOf(shares);
  const raw = sketch.counts.map((_, bin) => counts.slice(bin * width, (bin + 1) * width));
  const rows = raw.map((own, bin) => {
    const other = sketch.variances[bin]!;
    return (sketch.counts[bin]! * spread + sumOf(own) * other) / (spread + other);
  });
  const excess = shares.map((share, k) => {
    const found = raw.map((own, bin) => own[k]! + (rows[bin]! - sumOf(own)) / width - (share / all) * rows[bin]!);
    return shrunk(found, rows, noise).map((sure, bin) => (share / all) * rows[bin]! + sure);
  });
  const variances = sketch.variances.map((other) => 1 / (1 / other + 1 / spread));
  return {
    agreed: { ...sketch, counts: rows, variances },
    excess: rows.map((_, bin) => excess.map((own) => own[bin]!)),
    noise,
  };
}

/** Excesses less their noise: as much as the column's are like noise altogether, but for single ones that stand out. */
function shrunk(excess: readonly number[], rows: readonly number[], noise: number): number[] {
  const sizes = rows.map((count) => Math.max(1, count) ** 2);
  let rate = 0;
  for (let step = 0; step <= SHRINK_STEPS; step++) {
    let [sum, weight] = [0, 0];
    for (const [at, size] of sizes.entries()) {
      const precise = step === 0 ? 1 : 1 / (rate * size + noise) ** 2;
      sum += precise * size * (excess[at]! ** 2 - noise);
      weight += precise * size ** 2;
    }
    rate = Math.max(0, sum / weight);
  }
  return excess.map((own, at) => {
    const like = (rate * sizes[at]!) / (rate * sizes[at]! + noise);
    return own * Math.max(like, 1 - (SURE_SQUARES * noise) / Math.max(own ** 2, noise));
  });
}

/** The bin that each bin becomes a part of: levels and missing cells keep their own. */
function keptBins(
  { isLevels, maxBins }: Asked,
  { counts, hasMissing }: ColumnSketch,
  cells: readonly (readonly number[])[],
  variances: readonly number[],
): number[] {
  if (isLevels) return counts.map((_, bin) => bin);
  const numbers = counts.slice(0, hasMissing ? -1 : undefined);
  const parts = numbers.map((count, bin) => ({
    rows: Math.max(0, count),
    counts: cells[bin]!,
    variance: variances[bin]!,
  }));
  const kept = mergeBins(parts, maxBins, BIN_ERRORS);
  return hasMissing ? [...kept, kept.at(-1)! + 1] : kept;
}

const rebinned = (sketch: ColumnSketch, kept: readonly number[]): ColumnSketch => ({
  ...sketch,
  bins: sketch.bins.map((bin) => kept[bin]!),
  size: kept.at(-1)! + 1,
  counts: sumByBin(sketch.counts, kept),
  variances: sumByBin(sketch.variances, kept),
});
