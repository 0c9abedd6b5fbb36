/**
 * Learns the design matrix of a regression: slopes and bends of numbers, effects of levels, indicators of missing cells,
 * interactions as leaves of small trees; aliased columns dropped. n = rows, p = columns.
 */
import type { RandomStream } from '../../random/stream.ts';
import { finish, type Steps } from '../steps.ts';
import { admitLevels, admitNumbers } from './admitPredictors.ts';
import type { Design } from './design.ts';
import { Draft } from './draft.ts';
import { draftLeaves } from './leafPart.ts';
import { learningRows } from './learningRows.ts';
import { draftLevels } from './levelPart.ts';
import { draftNumber } from './numberPart.ts';
import { type Predictor, requirePredictors, takePredictors } from './predictors.ts';
import { settleDesign } from './settleDesign.ts';
import { DESIGN_DEFAULTS, type DesignOptions, knotsFor, leavesFor, MAIN_SHARE } from './shareColumns.ts';
import { standardisedResponse } from './standardisedResponse.ts';

/** The response on the scale of the linear predictor, n finite numbers, and how often each row counts (null: once). */
export interface WorkingResponse {
  values: Float64Array;
  weights: Float64Array | null;
}

/**
 * The same input and stream give the same design. With no rows, or none that tell predictors apart, it is an intercept.
 * Throws RangeError where lengths differ, two predictors share a name, or a response is not finite.
 */
export const learnDesign = (
  predictors: readonly Predictor[],
  response: WorkingResponse,
  options: Partial<DesignOptions>,
  random: RandomStream,
): Design => finish(learnDesignInSteps(predictors, response, options, random));

/** The same, a predictor, the trees, or the matrix between two yields. */
export function* learnDesignInSteps(
  predictors: readonly Predictor[],
  { values, weights }: WorkingResponse,
  options: Partial<DesignOptions>,
  random: RandomStream,
): Steps<Design> {
  const chosen = { ...DESIGN_DEFAULTS, ...options };
  requirePredictors(predictors, values.length);
  const rows = learningRows(values.length, weights, chosen.learningRows, random);
  const learnt = takePredictors(predictors, rows);
  const response = standardisedResponse(values, rows);
  const draft = new Draft();
  const admitted = yield* draftMains(draft, learnt, response, rows.length, chosen);
  const leaves = leavesFor(rows.length, draft.columns.length, chosen);
  if (leaves && response.some((value) => value !== 0)) draftLeaves(draft, admitted, response, leaves);
  yield;
  return yield* settleDesign(draft, learnt, rows.length);
}

/** Returns the predictors that there is room for. */
function* draftMains(
  draft: Draft,
  predictors: readonly Predictor[],
  response: Float64Array,
  n: number,
  options: DesignOptions,
): Steps<Predictor[]> {
  const room = Math.floor(MAIN_SHARE * options.maxColumns);
  // A number may need a slope and an indicator of its missing cells.
  const numbers = admitNumbers(predictors, response, Math.floor(room / 2));
  const levels = admitLevels(predictors, room - 2 * numbers.size);
  const knots = knotsFor(n, numbers.size, options);
  for (const predictor of predictors) {
    yield;
    if (predictor.kind === 'category') draftLevels(draft, predictor, levels.get(predictor.name) ?? 0);
    else if (numbers.has(predictor)) draftNumber(draft, predictor, knots);
    else draft.drop(predictor.name, `there is room for ${numbers.size} numeric predictors, and others say more`);
  }
  yield;
  return predictors.filter((predictor) => predictor.kind === 'category' || numbers.has(predictor));
}
