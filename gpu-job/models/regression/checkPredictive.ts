/** Posterior predictive checks (Gelman, Meng and Stern, 1996): do replicated tables look like the real one? */
import { familyOf } from '../../../numerics/distributions/families.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { ModelTable } from '../model.ts';
import { etaOfRows, type PredictiveModel } from './predictive.ts';
import { predictorsAt } from './predictorsOf.ts';

const REPLICATIONS = 200;
/** Rows of each replication, at most. */
const MOST_ROWS = 1_000;

export interface PredictivePValues {
  mean: number | null;
  sd: number | null;
  zeros: number | null;
  least: number | null;
  greatest: number | null;
}

/**
 * Share of replications, each under one posterior draw, whose figure is above the real one (half of those where it is
 * equal). `y`: the response of `rows`, in the family's support, where `zero` is what counts as 0. `zeros` is null where
 * neither has one.
 */
export function checkPredictive(
  model: PredictiveModel,
  table: ModelTable,
  rows: Int32Array,
  { y, zero }: { y: Float64Array; zero: number },
  random: RandomStream,
): PredictivePValues {
  const stride = Math.max(1, Math.ceil(rows.length / MOST_ROWS));
  const chosen = rows.filter((_, i) => i % stride === 0);
  const shown = y.filter((_, i) => i % stride === 0);
  const scale = { zero, unit: shown.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1 };
  const real = figuresOf(shown, scale);
  const family = familyOf(model.family);
  const fill = etaOfRows(model, predictorsAt(table, model.given, chosen), chosen.length);
  const eta = new Float64Array(model.designs.length);
  const count = model.draws.length / model.width;
  const above = new Float64Array(real.length);
  const replicate = new Float64Array(chosen.length);
  let zeros = real[2]!;
  for (let r = 0; r < REPLICATIONS; r++) {
    const at = random.integer(count) * model.width;
    for (let i = 0; i < chosen.length; i++) {
      fill(i, model.draws, at, eta);
      replicate[i] = family.draw(eta, random);
    }
    const figures = figuresOf(replicate, scale);
    zeros = Math.max(zeros, figures[2]!);
    figures.forEach((figure, k) => {
      above[k]! += figure > real[k]! ? 1 : figure === real[k]! ? 0.5 : 0;
    });
  }
  const [mean, sd, atZero, least, greatest] = Array.from(above, (sum) => sum / REPLICATIONS);
  return { mean: mean!, sd: sd!, zeros: zeros > 0 ? atZero! : null, least: least!, greatest: greatest! };
}

/** Mean, standard deviation, zeros, least and greatest; by `unit` first, since squares of 1e300 are no numbers. */
function figuresOf(y: Float64Array, { zero, unit }: { zero: number; unit: number }): number[] {
  let [mean, zeros, least, greatest] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of y) {
    mean += value / unit / y.length;
    if (value === zero) zeros++;
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  let square = 0;
  for (const value of y) square += (value / unit - mean) ** 2 / y.length;
  return [mean, Math.sqrt(square), zeros, least, greatest];
}
