/**
 * Chooses associations over tree leaves, which cannot combine a dozen weak predictors, such as one person's answers,
 * and depend more on single rows.
 */
import {
  type AssociationModel,
  eachAssociated,
  fitAssociation,
} from '../../../numerics/association/associationModel.ts';
import { drawRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { type FeatureTable, takeFeatures } from '../../../numerics/trees/features.ts';

/** Larger tables grow trees that hold it all. */
const MAX_ROWS = 10_000;
const JUDGED_ROWS = 5_000;
const MAX_KINDS = 21;
/** Small tables test each fifth in turn. */
const FOLDS = 5;
const FEW_ROWS = 1_000;
const MIN_ROWS = 100;

export type Predict = (train: ClassRows, test: ClassRows) => ArrayLike<number>;

export interface ClassRows {
  features: FeatureTable;
  classes: Int32Array;
}

/** Returns null if `other` predicts held-out rows at least as well, or nothing is associated. */
export function associationIfBetter(
  rows: ClassRows,
  kinds: number,
  other: Predict,
  random: RandomStream,
): AssociationModel | null {
  const n = rows.classes.length;
  if (n < MIN_ROWS || n > MAX_ROWS || kinds > MAX_KINDS || rows.features.features.length === 0) return null;
  const judged = drawRows(n, JUDGED_ROWS, random);
  let better = 0;
  for (let fold = 0; fold < (judged.length < FEW_ROWS ? FOLDS : 1); fold++) {
    const [from, to] = [fold, fold + 1].map((k) => Math.floor((k * judged.length) / FOLDS)) as [number, number];
    const [train, test] = [judged.filter((_, i) => i < from || i >= to), judged.slice(from, to)].map((some) =>
      takeClassRows(rows, some),
    ) as [ClassRows, ClassRows];
    const own = logAssociated(fitAssociation(train.features, train.classes, kinds), test);
    const theirs = other(train, test);
    for (let i = 0; i < own.length; i++) better += own[i]! - theirs[i]!;
  }
  if (better <= 0) return null;
  const whole = fitAssociation(rows.features, rows.classes, kinds);
  return whole.terms.length === 0 ? null : whole;
}

export const takeClassRows = ({ features, classes }: ClassRows, rows: Int32Array): ClassRows => ({
  features: takeFeatures(features, rows),
  classes: rows.map((row) => classes[row]!),
});

export function logAssociated(model: AssociationModel, { features, classes }: ClassRows): Float64Array {
  const out = new Float64Array(classes.length);
  eachAssociated(model, features, (row, p) => {
    out[row] = Math.log(Math.max(p[classes[row]!]!, LEAST));
  });
  return out;
}

/** Probability that counts as never. */
export const LEAST = 1e-6;

/** Returns n × K probabilities, row-major. */
export function associatedProbabilities(model: AssociationModel, features: FeatureTable): Float64Array {
  const out = new Float64Array(features.rows * model.classes);
  eachAssociated(model, features, (row, p) => out.set(p, row * model.classes));
  return out;
}

export const rowsThere = (classes: Int32Array): Int32Array =>
  Int32Array.from(classes.keys()).filter((row) => classes[row]! > 0);
