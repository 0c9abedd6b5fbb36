/**
 * Approximates the full log likelihood by q_all(θ) + n/m (ℓ_some(θ) - q_some(θ)), with quadratics q at the mode as
 * control variates (Quiroz, Kohn, Villani and Tran 2019, JASA 114). n rows, m sampled.
 */

import { mean } from '../moments.ts';
import { shuffle } from '../random/draws.ts';
import type { RandomStream } from '../random/stream.ts';
import { restrict } from './aggregateRows.ts';
import { coordinatesOf } from './coordinates.ts';
import { openLikelihood } from './openLikelihood.ts';
import { openPosterior, type PreparedRegression, prepareRegression } from './prepareRegression.ts';
import type { RegressionSpec } from './spec.ts';

/** `mode`: a position of `prepared`'s posterior. */
export function prepareSubsample(
  spec: RegressionSpec,
  prepared: PreparedRegression,
  mode: Float64Array,
  rows: number,
  random: RandomStream,
): PreparedRegression {
  const chosen = Int32Array.from(spec.y.keys());
  shuffle(chosen, random);
  const { data } = prepareRegression(restrict(spec, chosen.subarray(0, rows).sort()));
  const scale = spec.y.length / rows;
  const { size } = prepared.layout;
  const centre = new Float64Array(size);
  coordinatesOf(prepared.layout, prepared.centring).toTheta(mode, centre);
  const [all, some] = [prepared.data, data].map((of) => {
    const likelihood = openLikelihood(of);
    const [slope, curvature] = [new Float64Array(size), new Float64Array(size * size)];
    const value = likelihood.evaluate(centre, slope);
    likelihood.subtractCurvature(centre, curvature, size);
    return { value, slope, curvature };
  });
  const control = {
    scale,
    centre,
    value: all!.value - scale * some!.value,
    slope: all!.slope.map((value, j) => value - scale * some!.slope[j]!),
    curvature: all!.curvature.map((value, k) => value - scale * some!.curvature[k]!),
  };
  return { ...prepared, data: { kind: 'subsample', data, control } };
}

const LOOKED_AT = 200;

/**
 * Standard deviation of the difference in log density, which roughly bounds errors of posterior means. `positions`:
 * draws × d.
 */
export async function errorOfSubsample(
  prepared: PreparedRegression,
  subsample: PreparedRegression,
  positions: readonly Float64Array[],
  yieldToEventLoop: () => Promise<void>,
): Promise<number> {
  const [all, some] = [openPosterior(prepared), openPosterior(subsample)];
  const d = all.dimension;
  const gradient = new Float64Array(d);
  const each = Math.ceil(LOOKED_AT / positions.length);
  const differences: number[] = [];
  for (const draws of positions) {
    const count = draws.length / d;
    for (let k = 0; k < Math.min(each, count); k++) {
      const at = Math.floor(((k + 0.5) * count) / Math.min(each, count));
      const position = draws.subarray(at * d, (at + 1) * d);
      differences.push(all.evaluate(position, gradient) - some.evaluate(position, gradient));
      await yieldToEventLoop();
    }
  }
  const centre = mean(differences);
  return Math.sqrt(differences.reduce((sum, value) => sum + (value - centre) ** 2, 0) / differences.length);
}
