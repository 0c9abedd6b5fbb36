/**
 * From a target and its predictors to the regression that is sampled: a design for the location, one for each atom, a
 * scale by groups of rows where residuals fan out, constants for what is left. n = rows.
 */
import { familyOf } from '../../../numerics/distributions/families.ts';
import {
  type FamilyName,
  type FamilyParameter,
  hasExtraZeros,
  isAtom,
} from '../../../numerics/distributions/family.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { applyDesign } from '../../../numerics/regression/design/applyDesign.ts';
import type { Design } from '../../../numerics/regression/design/design.ts';
import { learnDesignInSteps, type WorkingResponse } from '../../../numerics/regression/design/learnDesign.ts';
import type { Predictor } from '../../../numerics/regression/design/predictors.ts';
import { predictorSpec } from '../../../numerics/regression/design/priorsOf.ts';
import type { DesignOptions } from '../../../numerics/regression/design/shareColumns.ts';
import type { PredictorSpec, Prior, RegressionSpec } from '../../../numerics/regression/spec.ts';
import { inSteps } from '../shared/inSteps.ts';
import type { FittedScale } from './scaleByGroups.ts';
import { atomResponse, locationResponse, momentsOf } from './workingResponse.ts';

/**
 * Columns of the location's design, of an atom's and of extra zeros', at most. Gaussian ones are sampled from sums of
 * products alone.
 */
const WIDEST = { sums: 700, rows: 300, atom: 120, extra: 40 } as const;

/**
 * The unit of priors on extra zeros, in place of a logit's 1: effects N(0, 1 / s_x). Where there are next to none, their
 * log odds have no lower end but the prior's, and under a wide one a chain drifts there.
 */
const EXTRA_UNIT = 0.4;

const BY_SUMS: ReadonlySet<FamilyName> = new Set(['gaussian', 'lognormal']);

/**
 * Error of a response, in its standard deviations, below which a fit counts as exact: a predictor that determines the target
 * must not pull its scale to 0. On a fit of R² 0.9999 it changes the scale by 5e-5 of itself.
 */
export const EXACT = 1e-4;

export interface PlannedPredictor {
  parameter: FamilyParameter;
  /** Null for a constant. */
  design: Design | null;
}

export interface RegressionPlan {
  family: FamilyName;
  spec: RegressionSpec;
  /** In the family's order. */
  predictors: PlannedPredictor[];
  /** Null where one scale holds for all rows. */
  scale: FittedScale | null;
}

/** `y`: n numbers in the family's support. Throws what `breathe` throws. */
export async function planRegression(
  family: FamilyName,
  y: Float64Array,
  predictors: readonly Predictor[],
  random: RandomStream,
  breathe: () => Promise<void>,
): Promise<RegressionPlan> {
  const planned: PlannedPredictor[] = [];
  const specs: PredictorSpec[] = [];
  const { parameters } = familyOf(family);
  const location = locationResponse(family, y);
  for (const [k, parameter] of parameters.entries()) {
    const response = k === 0 ? location : isAtom(parameter) ? atomResponse(parameter.name, y) : null;
    if (!response || !canBeLearnt(response)) {
      planned.push({ parameter, design: null });
      specs.push({ kind: 'constant', parameter: parameter.name, prior: constantPrior(parameter, location) });
      continue;
    }
    const own = random.child(parameter.name);
    const design = await inSteps(learnDesignInSteps(predictors, response, designOptions(family, k), own), breathe);
    await breathe();
    const unit = k > 0 && hasExtraZeros(family) ? EXTRA_UNIT : 1;
    const scale = parameter.link === 'logit' ? { mean: 0, sd: unit } : momentsOf(response);
    planned.push({ parameter, design });
    specs.push(predictorSpec(design, applyDesign(design, predictors, y.length), scale, parameter.name));
    await breathe();
  }
  return { family, spec: { family, y, weights: null, predictors: specs }, predictors: planned, scale: null };
}

/** Of the `k`-th parameter. Zeros tell little of which of them are extra, and nothing of interactions. */
function designOptions(family: FamilyName, k: number): Partial<DesignOptions> {
  if (k === 0) return { maxColumns: BY_SUMS.has(family) ? WIDEST.sums : WIDEST.rows };
  return hasExtraZeros(family) ? { maxColumns: WIDEST.extra, trees: 0 } : { maxColumns: WIDEST.atom };
}

/** Some row counts. */
const canBeLearnt = ({ values, weights }: WorkingResponse): boolean =>
  values.length > 0 && (weights === null || weights.some((weight) => weight > 0));

/** Weakly informative, on the parameter's own scale. */
function constantPrior({ name, link }: FamilyParameter, location: WorkingResponse): Prior {
  if (link === 'logit') return { kind: 'beta', a: 1, b: 1 };
  if (name === 'nu') return { kind: 'gamma', shape: 2, rate: 0.1 };
  if (name === 'sigma') {
    const { sd, rows } = momentsOf(location);
    const unit = sd > 0 ? sd : 1;
    return { kind: 'exponential_above', rate: 1 / unit, error: EXACT * unit, rows };
  }
  return { kind: 'exponential', rate: 0.1 };
}
