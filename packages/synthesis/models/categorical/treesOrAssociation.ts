/** Chooses boosted trees for a label if they clearly predict held-out rows better, else associations. */
import { type AssociationModel, fitAssociation } from '../../../numerics/association/associationModel.ts';
import { meanWithError } from '../../../numerics/moments.ts';
import { drawRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { Steps } from '../../../numerics/steps.ts';
import type { ClassTrees } from '../../../numerics/trees/classTrees.ts';
import { eachProbabilities } from '../../../numerics/trees/walkTrees.ts';
import { boostTask } from '../shared/boostInThreads.ts';
import { type BoostingTask, fitBoosted, ranOut } from '../shared/boosting.ts';
import { type ClassRows, LEAST, logAssociated, rowsThere, takeClassRows } from './associated.ts';

/** Class 0 is a missing cell. */
export interface LabelTask {
  label: BoostingTask & { leaves: number };
  /** Used if rounds run out. */
  moreLeaves: number;
}

/** Trees have no roots if associations replace them or nothing predicts the label. */
export interface LabelModel {
  association: AssociationModel | null;
  trees: ClassTrees;
}

export interface LabelFit extends LabelModel {
  leaves: number;
}

/** Associations have few parameters. */
const ASSOCIATED_ROWS = 20_000;
/** Required gain in standard errors, since associations depend less on single rows. */
const CLEARLY = 2;

export function* fitLabelModel({ label, moreLeaves }: LabelTask, random: RandomStream): Steps<LabelFit> {
  const { features, classes, kinds, rows, apart, rounds } = label;
  const first = yield* fitBoosted(label, random);
  const leaves = ranOut(first, rounds) ? moreLeaves : label.leaves;
  const trees = leaves === label.leaves ? first : yield* fitBoosted({ ...label, leaves }, random.child('more leaves'));
  const some = (from: Int32Array, most: number): ClassRows =>
    takeClassRows(
      { features, classes },
      drawRows(from.length, most, random.child('some'))
        .sort()
        .map((at) => from[at]!),
    );
  const grown = some(rows, ASSOCIATED_ROWS);
  yield;
  const trial = fitAssociation(grown.features, grown.classes, kinds);
  yield;
  const judged = takeClassRows({ features, classes }, apart);
  const ofTrees = yield* logProbabilities(trees, judged);
  const gains = logAssociated(trial, judged).map((own, i) => ofTrees[i]! - own);
  const { mean, error } = meanWithError(gains);
  if (mean > CLEARLY * error) return { association: null, trees, leaves };
  const all = some(rowsThere(classes), ASSOCIATED_ROWS);
  const association = fitAssociation(all.features, all.classes, kinds);
  return { association: association.terms.length === 0 ? null : association, trees: withoutTrees(trees), leaves };
}

export const boostLabel = boostTask('boostLabel', fitLabelModel);

const withoutTrees = (trees: ClassTrees): ClassTrees => ({ ...trees, roots: new Int32Array(0) });

function* logProbabilities(trees: ClassTrees, { features, classes }: ClassRows): Steps<Float64Array> {
  const out = new Float64Array(classes.length);
  yield* eachProbabilities(trees, features, (row, p) => {
    out[row] = Math.log(Math.max(p[classes[row]!]!, LEAST));
  });
  return out;
}
