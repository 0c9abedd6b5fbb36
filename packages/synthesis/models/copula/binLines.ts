/**
 * Fits lines within a density's bins. Tail bins are wide, so places in them still depend on earlier numbers; each bin
 * regresses its places' normal scores on theirs.
 */
import { z } from 'zod';
import { cholesky, dot, solveCholesky } from '../../../numerics/linalg/dense.ts';
import { mean } from '../../../numerics/moments.ts';
import { normalCdf } from '../../../numerics/special/normal.ts';
import { float64Schema } from '../shared/savedArrays.ts';
import { type NumberScores, scoreOf } from './normalScores.ts';

export const binLinesSchema = z.object({
  /** Names of p regressors. */
  along: z.array(z.string()),
  /** Weights (0 without a line) and regressor means, p per bin. */
  weights: float64Schema,
  centres: float64Schema,
  /** Residual standard deviation per bin; 1 without a line. */
  spreads: float64Schema,
});
export type BinLines = z.infer<typeof binLinesSchema>;

export interface BinnedRows {
  ends: Float64Array;
  bins: Int32Array;
  from: Float64Array;
  upTo: Float64Array;
  rows: Int32Array;
  alongside: readonly NumberScores[];
}

/** Ridge penalty, in rows. */
const RIDGE = 20;
/** Minimum variance explained, and minimum F statistic. */
const MIN_EXPLAINED = 0.1;
const MIN_F = 6;
/** Minimum rows beyond the weights. */
const MIN_ROWS = 10;
/** Maximum share of an atom in a bin; a line would smear it. */
const MAX_ATOM = 0.2;
/** Values in files are rounded. */
const MIN_SPREAD = 0.1;

/** Returns null if no bin has a line. */
export function fitBinLines(task: BinnedRows): BinLines | null {
  const { ends, alongside } = task;
  const p = alongside.length;
  const weights = new Float64Array(ends.length * p);
  const centres = weights.slice();
  const spreads = new Float64Array(ends.length).fill(1);
  rowsByBin(task).forEach((rows, bin) => {
    const line = fitLine(placeScores(task, rows, bin), rows, alongside);
    if (!line) return;
    weights.set(line.weights, bin * p);
    centres.set(line.centre, bin * p);
    spreads[bin] = line.spread;
  });
  if (weights.every((weight) => weight === 0)) return null;
  return { along: alongside.map(({ name }) => name), weights, centres, spreads };
}

function rowsByBin({ ends, bins, rows }: BinnedRows): number[][] {
  const groups = Array.from(ends, (): number[] => []);
  for (const row of rows) groups[bins[row]!]!.push(row);
  return groups;
}

function placeScores({ ends, from, upTo }: BinnedRows, rows: readonly number[], bin: number): Float64Array | null {
  const start = bin > 0 ? ends[bin - 1]! : 0;
  const width = ends[bin]! - start;
  if (rows.some((row) => upTo[row]! - from[row]! > MAX_ATOM * width)) return null;
  return Float64Array.from(rows, (row) => scoreOf(((from[row]! + upTo[row]!) / 2 - start) / width));
}

function fitLine(places: Float64Array | null, rows: readonly number[], alongside: readonly NumberScores[]) {
  const [n, p] = [rows.length, alongside.length];
  if (!places || p === 0 || n < p + MIN_ROWS) return null;
  const centre = Float64Array.from(alongside, ({ scores }) => mean(rows.map((row) => orElse(scores[row]!, 0))));
  const x = alongside.map(({ scores }, k) => Float64Array.from(rows, (row) => orElse(scores[row]! - centre[k]!, 0)));
  const level = mean(places);
  const y = places.map((place) => place - level);
  const products = Float64Array.from({ length: p * p }, (_, at) => dot(x[Math.floor(at / p)]!, x[at % p]!));
  const moments = Float64Array.from(x, (own) => dot(own, y));
  const variance = x.reduce((sum, own) => sum + dot(own, own), 0) / (n * p);
  const ridged = products.map((own, at) => (at % (p + 1) === 0 ? own + RIDGE * variance : own));
  const factor = variance > 0 ? cholesky(ridged, p) : null;
  if (!factor) return null;
  const weights = solveCholesky(factor, p, moments);
  const left = y.map((own, i) => own - x.reduce((sum, each, k) => sum + weights[k]! * each[i]!, 0));
  const share = dot(left, left) / dot(y, y);
  const explained = 1 - (share * (n - 1)) / (n - 1 - p);
  const isClear = (1 - share) * (n - 1 - p) > MIN_F * p * share;
  if (!(isClear && explained > MIN_EXPLAINED)) return null;
  return { weights, centre, spread: Math.max(MIN_SPREAD, Math.sqrt(1 - explained)) };
}

const orElse = (value: number, other: number): number => (Number.isNaN(value) ? other : value);

/** n scores per regressor. */
export type LineScores = readonly Float64Array[];

/** Removes a line's effect from a place in (0, 1). */
export function levelPlace(
  lines: BinLines | null,
  bin: number,
  place: number,
  scores: LineScores,
  row: number,
): number {
  if (!lines || lines.spreads[bin] === 1) return place;
  return normalCdf((scoreOf(place) - liftOf(lines, bin, scores, row)) / lines.spreads[bin]!);
}

/** Inverts `levelPlace`. */
export function liftPlace(lines: BinLines | null, bin: number, level: number, scores: LineScores, row: number): number {
  if (!lines || lines.spreads[bin] === 1) return level;
  return normalCdf(liftOf(lines, bin, scores, row) + scoreOf(level) * lines.spreads[bin]!);
}

function liftOf({ along, weights, centres }: BinLines, bin: number, scores: LineScores, row: number): number {
  let sum = 0;
  for (let k = 0; k < along.length; k++) {
    const at = bin * along.length + k;
    sum += weights[at]! * orElse(scores[k]![row]! - centres[at]!, 0);
  }
  return sum;
}
