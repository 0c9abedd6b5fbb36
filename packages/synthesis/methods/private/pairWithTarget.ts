/** Counts columns by the target, which they predict, and merges number bins with similar targets. */
import type { MeasuredMarginal } from '../../../numerics/markov/fitMarginals.ts';
import type { Curator } from '../../../numerics/privacy/curator.ts';
import { sumOf } from './countRanges.ts';
import { mergeBins } from './mergeBins.ts';
import { binCodes, type ColumnSketch, sumByBin } from './sketchColumn.ts';

/** Number bins per kept bin. */
export const FINER_BINS = 2;
/** Maximum expected noise, as a share of rows. */
const MAX_NOISE = 0.15;
/** Minimum size in standard errors. */
const BIN_ERRORS = 1;
/** Limits shrinkage of excesses far beyond noise. */
const SURE_SQUARES = 2;
const SHRINK_STEPS = 30;

export type CellCounts = Pick<MeasuredMarginal, 'counts' | 'variances'>;

export interface TargetPair {
  sketch: ColumnSketch;
  /** Target bins vary fastest; undefined if noise would drown them. */
  cells: CellCounts | undefined;
}

interface Asked {
  codes: Int32Array;
  sketch: ColumnSketch;
  isLevels: boolean;
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

/** Shrinks the excess of cells over the target's shares. */
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

/** Keeps clear outliers. */
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

/** Levels and missing cells keep their own bins. */
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
