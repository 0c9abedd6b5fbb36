/** Lognormal or gamma, for positive numbers that lean to the left and reach far to the right. */
import { momentsOf } from './sampleMoments.ts';

/** Skewness from which positive numbers are not gaussian. */
const SKEWED = 0.75;

export const isSkewed = (values: readonly number[]): boolean => momentsOf(values).skewness > SKEWED;

/**
 * By the skewness of the logarithms: 0 for a lognormal; for a gamma of shape k it is ψ''(k) / ψ'(k)^1.5, here by the
 * asymptotic series of both, with k from the mean and the mean logarithm (Minka 2002). The nearer one is chosen.
 */
export function positiveFamily(values: readonly number[]): { family: 'lognormal' | 'gamma'; reason: string } {
  const logs = momentsOf(values.map(Math.log));
  const { mean, skewness } = momentsOf(values);
  const s = Math.max(1e-9, Math.log(mean) - logs.mean);
  const k = (3 - s + Math.sqrt((s - 3) ** 2 + 24 * s)) / (12 * s);
  const ofGamma = -(1 / k ** 2 + 1 / k ** 3 + 1 / (2 * k ** 4)) / (1 / k + 1 / (2 * k ** 2) + 1 / (6 * k ** 3)) ** 1.5;
  const family = logs.skewness < ofGamma / 2 ? 'gamma' : 'lognormal';
  const reason = `skewness ${skewness.toFixed(2)}, of the logarithms ${logs.skewness.toFixed(2)} where a lognormal has 0 and a gamma of this scatter ${ofGamma.toFixed(2)}`;
  return { family, reason };
}
