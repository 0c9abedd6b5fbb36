/** Plans designs and priors. n rows. */
import { type FamilyName, familyOf, hasExtraZeros } from '../distributions/families.ts';
import { type FamilyParameter, isAtom } from '../distributions/family.ts';
import type { RandomStream } from '../random/stream.ts';
import { inSteps } from '../steps.ts';
import { applyDesign } from './design/applyDesign.ts';
import { drawHalves } from './design/crossFit.ts';
import { type Design, namesOf, type Predictor } from './design/design.ts';
import { type DesignOptions, fitDesignInSteps, type WorkingResponse } from './design/fitDesign.ts';
import { separatingPredictor } from './design/separation.ts';
import { isSummed } from './gaussianStatistics.ts';
import type { Matrix, Pool, PredictorSpec, Prior, RegressionSpec } from './spec.ts';
import { atomResponse, EXACT, locationResponse, momentsOf } from './workingResponse.ts';

/** Maximum columns; a Gaussian location needs only sums of products. */
const WIDEST = { sums: 700, rows: 300, atom: 120, extra: 40 } as const;

/**
 * Prior N(0, 1 / s_x) for extra zeros. If there are hardly any, the likelihood does not bound log odds below, and
 * chains drift.
 */
const EXTRA_UNIT = 0.4;

/** Multiples of the default prior scales. */
export interface PriorScales {
  /** For the intercept and unpooled effects, N(0, 2.5 s_y / s_x). */
  coefficients: number;
  /** For half-t(3, 0, s_y) on pool scales, which are fixed at the mode. */
  pools: number;
}

export const DEFAULT_PRIORS: Readonly<PriorScales> = { coefficients: 1, pools: 1 };

export interface RegressionPlan {
  spec: RegressionSpec;
  /** Null for constants. */
  designs: (Design | null)[];
  /** Half of each row (n). */
  halves: Uint8Array;
}

/** `y`: n numbers in the family's support. Throws what `yieldToEventLoop` throws. */
export async function planRegression(
  family: FamilyName,
  y: Float64Array,
  predictors: readonly Predictor[],
  random: RandomStream,
  yieldToEventLoop: () => Promise<void>,
  priors: PriorScales = DEFAULT_PRIORS,
): Promise<RegressionPlan> {
  const designs: (Design | null)[] = [];
  const specs: PredictorSpec[] = [];
  const { parameters } = familyOf(family);
  const location = locationResponse(family, y);
  const halves = drawHalves(y.length, random.child('halves'));
  for (const [k, parameter] of parameters.entries()) {
    const response = k === 0 ? location : isAtom(parameter) ? atomResponse(parameter.name, y) : null;
    if (!response || !isEstimable(response)) {
      designs.push(null);
      specs.push({ kind: 'constant', parameter: parameter.name, prior: constantPrior(parameter, location) });
      continue;
    }
    const own = random.child(parameter.name);
    const separating = isAtom(parameter) ? separatingPredictor(predictors, response) : undefined;
    const design = await inSteps(
      separating
        ? fitDesignInSteps([separating], response, { pairRows: 0, trees: 0 }, own)
        : fitDesignInSteps(predictors, response, { ...designOptions(family, k, response), halves }, own),
      yieldToEventLoop,
    );
    await yieldToEventLoop();
    const unit = k > 0 && hasExtraZeros(family) ? EXTRA_UNIT : 1;
    const scale = parameter.link === 'logit' ? { mean: 0, sd: unit } : momentsOf(response);
    designs.push(design);
    const matrix = applyDesign(design, predictors, y.length, halves);
    specs.push(predictorSpec(design, matrix, scale, parameter.name, priors));
    await yieldToEventLoop();
  }
  return { spec: { family, y, weights: null, predictors: specs }, designs, halves };
}

/** Zeros carry little information about which are extra. */
function designOptions(family: FamilyName, k: number, response: WorkingResponse): Partial<DesignOptions> {
  // Dense pairs made row chains up to thirteen times as slow.
  if (k === 0) return isSummed(family) ? { maxColumns: WIDEST.sums } : { maxColumns: WIDEST.rows, pairRows: 0 };
  if (hasExtraZeros(family)) return { maxColumns: WIDEST.extra, pairRows: 0, trees: 0 };
  return {
    pairRows: 0,
    maxColumns: Math.min(WIDEST.atom, Math.max(MIN_ATOM_COLUMNS, Math.floor(rarerOf(response) / EVENTS_A_COLUMN))),
  };
}

/** Minimum events per column (Peduzzi et al. 1996); with fewer, chains diverge. */
const EVENTS_A_COLUMN = 10;
const MIN_ATOM_COLUMNS = 10;

function rarerOf({ values, weights }: WorkingResponse): number {
  const counts = [0, 0];
  values.forEach((value, row) => {
    if (weights === null || weights[row]! > 0) counts[value]! += 1;
  });
  return Math.min(...counts);
}

const isEstimable = ({ values, weights }: WorkingResponse): boolean =>
  values.length > 0 && (weights === null || weights.some((weight) => weight > 0));

/** Weakly informative. */
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

// Coefficient priors as in rstanarm, with an estimated scale per pool.

/** Moments on the link scale; 0 and 1 for a logit. */
interface ResponseScale {
  mean: number;
  sd: number;
}

/** rstanarm's autoscale. */
const WEAK = 2.5;
const POOL_DF = 3;

export interface DesignPriors {
  /** One per column: intercept N(mean, 2.5 s_y), others N(0, 2.5 s_y / s_x). */
  priors: Prior[];
  /** τ ~ half-t(3, 0, s_y). */
  pools: Pool[];
}

/** Constant responses count as standard deviation 1. */
export function priorsOf(
  design: Design,
  response: ResponseScale,
  { coefficients, pools: poolScale }: PriorScales = DEFAULT_PRIORS,
): DesignPriors {
  const sd = response.sd > 0 && Number.isFinite(response.sd) ? response.sd : 1;
  const priors = design.columns.map((column, j): Prior => {
    if (j === 0) return { kind: 'normal', mean: response.mean, sd: coefficients * (WEAK * sd) };
    return { kind: 'normal', mean: 0, sd: (coefficients * (WEAK * sd)) / column.sd };
  });
  const pools = design.pools.map(
    ({ name, columns, sds }): Pool => ({
      name,
      columns: Int32Array.from(columns),
      sds: Float64Array.from(sds),
      scale: { kind: 'student_t', df: POOL_DF, mean: 0, scale: poolScale * sd },
    }),
  );
  return { priors, pools };
}

export function predictorSpec(
  design: Design,
  matrix: Matrix,
  response: ResponseScale,
  parameter = 'mu',
  priors = DEFAULT_PRIORS,
): Extract<PredictorSpec, { kind: 'linear' }> {
  return { kind: 'linear', parameter, design: matrix, names: namesOf(design), ...priorsOf(design, response, priors) };
}
