/** A target of one value: every row gets it, and nothing is sampled. */
import { counted } from '../../../domain/table/wording.ts';
import { fitReference } from '../../../numerics/distributions/empirical.ts';
import { familyOf } from '../../../numerics/distributions/families.ts';
import { fitMargin } from '../shared/margin.ts';
import type { FittedTarget } from './bayesianRegression.ts';
import type { Response } from './responseOf.ts';

/** Any draw of the family is carried over to the margin, which has one value. */
export function constantTarget(name: string, { family, values }: Response): FittedTarget {
  const { parameters } = familyOf(family);
  return {
    name,
    family,
    given: [],
    designs: parameters.map(() => null),
    scale: null,
    draws: new Float32Array(parameters.length),
    width: parameters.length,
    reference: fitReference(Float64Array.of(0)),
    margin: fitMargin(values, 1),
    levels: [],
    leaves: null,
    metrics: {
      target: name,
      family,
      rows: values.length,
      method: 'none: the target has one value',
      chains: 0,
      draws: 0,
      tune: 0,
      worst_r_hat: null,
      least_bulk_ess: null,
      least_tail_ess: null,
      divergences: 0,
      depth_exceeded: 0,
      least_e_bfmi: null,
      pareto_k: null,
      converged: true,
      summary: summaryOf(values),
      parameters: 0,
      left_out: [],
      coefficients: [],
      predictive_p_values: { mean: null, sd: null, zeros: null, least: null, greatest: null },
    },
  };
}

const summaryOf = (values: Float64Array): string =>
  `${values.length === 1 ? 'Its only number is' : `All of its ${counted(values.length, 'number')} are`} ${values[0]}: every synthetic row gets that, and nothing was sampled. To have it vary, upload rows with other values of it.`;
