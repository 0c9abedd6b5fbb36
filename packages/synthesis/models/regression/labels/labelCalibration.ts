/** Reliability diagram of held-out rows, by posterior mean probabilities. */
import type { LabelCalibration } from '../../../../contract/labels.ts';
import { wilson } from '../../../judge/intervals.ts';
import { takeRows } from '../../../table/takeRows.ts';
import { categoryColumn, type ModelTable } from '../../model.ts';
import { predictorsOf } from '../fitTarget.ts';
import type { FittedLabel } from './fitLabel.ts';
import { meanProbabilities } from './labelStages.ts';

const ROWS = { most: 5_000, least: 50 } as const;
const BINS = 10;
/** Shares of fewer rows are noisy, and may identify someone. */
const MIN_BIN_ROWS = 20;
const LEAST = 1e-12;

/** Returns null without a regression or enough rows of known levels. */
export function calibrationOn(holdout: ModelTable, label: FittedLabel | undefined): LabelCalibration | null {
  if (!label || label.stages.length === 0) return null;
  const { codes, levels } = categoryColumn(holdout, label.name);
  const ofCode = levels.map((level) => label.levels.indexOf(level));
  const known = Int32Array.from(codes.keys()).filter((row) => (ofCode[codes[row]!] ?? -1) >= 0);
  if (known.length < ROWS.least) return null;
  const rows = takeRows(holdout, known.slice(0, ROWS.most));
  const own = Int32Array.from(known.slice(0, ROWS.most), (row) => ofCode[codes[row]!]!);
  const p = meanProbabilities(label.stages, predictorsOf(rows, label.given), rows.rows);
  return calibration(p, own, label.rows);
}

/** @param p probabilities (n × K). @param own levels (n). @param counts training rows by level (K). */
export function calibration(p: Float64Array, own: Int32Array, counts: Int32Array): LabelCalibration {
  const kinds = counts.length;
  const all = counts.reduce((sum, count) => sum + count, 0);
  const pairs = kinds === 2 ? pairsOf(p, own, [0], kinds) : pairsOf(p, own, [...counts.keys()], kinds);
  const bins = binned(pairs);
  const weight = bins.reduce((sum, { rows }) => sum + rows, 0) || 1;
  const meanOver = (of: (bin: Bin) => number) => bins.reduce((sum, bin) => sum + (bin.rows * of(bin)) / weight, 0);
  const scoreOf = (shareOf: (row: number) => number) =>
    own.reduce((sum, _, row) => sum + Math.log(Math.max(LEAST, shareOf(row))) / own.length, 0);
  return {
    rows: own.length,
    bins,
    error: meanOver(({ predicted, observed }) => Math.abs(predicted - observed)),
    // Mean absolute error of a share (central limit theorem).
    error_by_chance: meanOver(({ predicted: share, rows }) => Math.sqrt(((2 / Math.PI) * share * (1 - share)) / rows)),
    log_score: scoreOf((row) => p[row * kinds + own[row]!]!),
    log_score_of_shares: scoreOf((row) => counts[own[row]!]! / all),
    accuracy: own.reduce((sum, level, row) => sum + (mostProbable(p, row, kinds) === level ? 1 : 0), 0) / own.length,
  };
}

type Bin = LabelCalibration['bins'][number];

interface Pair {
  predicted: number;
  isSo: boolean;
}

const pairsOf = (p: Float64Array, own: Int32Array, levels: readonly number[], kinds: number): Pair[] =>
  levels.flatMap((level) =>
    Array.from(own, (one, row): Pair => ({ predicted: p[row * kinds + level]!, isSo: one === level })),
  );

function binned(pairs: readonly Pair[]): Bin[] {
  const groups = Array.from({ length: BINS }, (): Pair[] => []);
  for (const pair of pairs) groups[Math.min(BINS - 1, Math.floor(pair.predicted * BINS))]!.push(pair);
  return groups.flatMap((group): Bin[] => {
    const rows = group.length;
    if (rows < MIN_BIN_ROWS) return [];
    const hits = group.reduce((sum, { isSo }) => sum + (isSo ? 1 : 0), 0);
    const [low, high] = wilson(hits, rows);
    const predicted = group.reduce((sum, pair) => sum + pair.predicted / rows, 0);
    return [{ rows, predicted, observed: hits / rows, low, high }];
  });
}

function mostProbable(p: Float64Array, row: number, kinds: number): number {
  const own = p.subarray(row * kinds, (row + 1) * kinds);
  return own.indexOf(own.reduce((most, share) => Math.max(most, share), 0));
}
