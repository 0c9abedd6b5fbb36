/**
 * The two-way tables of a label and each column that it is given, brought back to boosted probabilities: early stopping shrinks them
 * towards the label's shares, and what is drawn from shrunk ones is shrunk again by each label after it. Factors by level raise and
 * lower the classes until their sums are those of the rows of the fit (raking; Deming and Stephan, 1940). n rows, K classes.
 */
import { z } from 'zod';
import type { Steps } from '../../../numerics/steps.ts';
import {
  applyBinning,
  binFeature,
  type Feature,
  type FeatureBins,
  type FeatureTable,
  valueBins,
} from '../../../numerics/trees/features.ts';
import type { JsonValue } from '../model.ts';
import { binningSchema, float64Schema, saveArray } from '../shared/savedArrays.ts';

export const tiesSchema = z.object({
  /** Indices of features, the bins of each, and K factors a bin, that of missing cells last. */
  features: z.array(z.int()),
  binning: binningSchema,
  factors: z.array(float64Schema),
});
export type LabelTies = z.infer<typeof tiesSchema>;

export const NO_TIES: LabelTies = { features: [], binning: [], factors: [] };

/** Rows of which the tables are, at most: others say little more. */
export const TIED_ROWS = 20_000;
/** Bins of a number, and levels of a category, at most. */
const NUMBER_BINS = 8;
const MAX_LEVELS = 60;
/** Times that each table is raked to. */
const ROUNDS = 5;
/** Rows' worth of what the trees say in each cell of a table: a cell of few rows is hardly moved. */
const WORTH_ROWS = 10;

export interface TiesTask {
  /** n rows each. */
  features: FeatureTable;
  /** 0 … K - 1. */
  classes: Int32Array;
  kinds: number;
  /** n × K, overwritten. */
  probabilities: Float64Array;
}

/** Steps: a table each. */
export function* fitTies({ features, classes, kinds, probabilities }: TiesTask): Steps<LabelTies> {
  const kept = [...features.features.keys()].filter((f) => isTied(features.features[f]!));
  const own = { rows: features.rows, features: kept.map((f) => features.features[f]!) };
  const target = Float64Array.from(classes);
  const binning = own.features.map((one) => binFeature(one, target, one.kind === 'numeric' ? NUMBER_BINS : undefined));
  const columns = applyBinning(binning, own);
  const factors = binning.map((bins) => new Float64Array(cellsOf(bins, kinds)).fill(1));
  const wanted = binning.map((bins, f) => tableOf(columns[f]!, classes, kinds, cellsOf(bins, kinds)));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [f, column] of columns.entries()) {
      const step = stepTo(wanted[f]!, column, probabilities, kinds);
      multiply(probabilities, [{ column, factors: step }], kinds);
      factors[f] = factors[f]!.map((factor, cell) => factor * step[cell]!);
      yield;
    }
  }
  return { features: kept, binning, factors };
}

const isTied = (feature: Feature): boolean => feature.kind === 'numeric' || feature.levels <= MAX_LEVELS;

const cellsOf = (bins: FeatureBins, kinds: number): number => (valueBins(bins) + 1) * kinds;

function tableOf(column: Uint8Array, classes: Int32Array, kinds: number, cells: number): Float64Array {
  const rows = new Float64Array(cells);
  for (let row = 0; row < column.length; row++) rows[column[row]! * kinds + classes[row]!]!++;
  return rows;
}

/** What brings the sums of the probabilities to the table, but for what few rows say. */
function stepTo(wanted: Float64Array, column: Uint8Array, p: Float64Array, kinds: number): Float64Array {
  const sums = new Float64Array(wanted.length);
  for (let row = 0; row < column.length; row++) {
    const cell = column[row]! * kinds;
    for (let k = 0; k < kinds; k++) sums[cell + k]! += p[row * kinds + k]!;
  }
  return sums.map((sum, cell) => (wanted[cell]! + WORTH_ROWS) / (sum + WORTH_ROWS));
}

/** Multiplies the probabilities of each row by the factors of its bins; each row sums to 1 again. */
function multiply(p: Float64Array, by: readonly { column: Uint8Array; factors: Float64Array }[], kinds: number): void {
  for (let row = 0; row * kinds < p.length; row++) {
    const own = p.subarray(row * kinds, (row + 1) * kinds);
    for (const { column, factors } of by) {
      const cell = column[row]! * kinds;
      for (let k = 0; k < kinds; k++) own[k]! *= factors[cell + k]!;
    }
    let sum = 0;
    for (let k = 0; k < kinds; k++) sum += own[k]!;
    for (let k = 0; k < kinds; k++) own[k]! /= sum;
  }
}

/** Applies the ties to the probabilities (n × K, in place) of n other rows. */
export function applyTies(ties: LabelTies, table: FeatureTable, probabilities: Float64Array, kinds: number): void {
  if (ties.features.length === 0) return;
  const own = { rows: table.rows, features: ties.features.map((f) => table.features[f]!) };
  const columns = applyBinning(ties.binning, own);
  multiply(
    probabilities,
    columns.map((column, f) => ({ column, factors: ties.factors[f]! })),
    kinds,
  );
}

export const saveTies = ({ features, binning, factors }: LabelTies): JsonValue => ({
  features: [...features],
  binning: binning.map((bins) => ({ ...bins })),
  factors: factors.map(saveArray),
});
