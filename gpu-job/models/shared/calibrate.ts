/** Carries a model's draw over to the real margin: the draw's place among the model's own draws decides the value. */
import { cdf, type Empirical, quantile } from '../../../numerics/distributions/empirical.ts';

/** `reference`: how the model's draws are distributed; `margin`: how the real values are. */
export const calibrate = (draw: number, reference: Empirical, margin: Empirical): number =>
  quantile(margin, cdf(reference, draw));
