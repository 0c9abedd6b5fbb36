/**
 * Zero-concentrated differential privacy (Bun and Steinke 2016), converted to (ε, δ) by proposition 12 of Canonne,
 * Kamath and Steinke (2020).
 */

/** Enough bisections for all bits of a double. */
const STEPS = 200;
/** Safety margin: floating-point costs may exceed a budget by half of it. */
export const ROUNDING = 1e-10;

/** Smallest δ for ρ and ε ≥ 0, at the best Rényi order α. */
export function deltaOf(rho: number, epsilon: number): number {
  if (!(rho >= 0 && epsilon >= 0)) throw new RangeError('ρ and ε are from 0');
  if (rho === 0) return 0;
  let [low, high] = [1.01, (epsilon + 1) / (2 * rho) + 2];
  for (let step = 0; step < STEPS; step++) {
    const alpha = (low + high) / 2;
    const slope = (2 * alpha - 1) * rho - epsilon + Math.log1p(-1 / alpha);
    if (slope < 0) low = alpha;
    else high = alpha;
  }
  const alpha = (low + high) / 2;
  const exponent = (alpha - 1) * (alpha * rho - epsilon) + alpha * Math.log1p(-1 / alpha);
  return Math.min(1, Math.exp(exponent) / (alpha - 1));
}

/** Largest ρ for ε > 0 and 0 < δ < 1, rounded down. */
export function rhoOf(epsilon: number, delta: number): number {
  checkDelta(delta);
  if (!(epsilon > 0)) throw new RangeError('ε is above 0');
  let [low, high] = [0, epsilon + 1];
  for (let step = 0; step < STEPS; step++) {
    const rho = (low + high) / 2;
    if (deltaOf(rho, epsilon) <= delta) low = rho;
    else high = rho;
  }
  return low * (1 - ROUNDING);
}

/** Smallest ε, rounded up. */
export function epsilonOf(rho: number, delta: number): number {
  checkDelta(delta);
  if (rho === 0) return 0;
  let [low, high] = [0, rho + 2 * Math.sqrt(rho * Math.log(1 / delta))];
  for (let step = 0; step < STEPS; step++) {
    const epsilon = (low + high) / 2;
    if (deltaOf(rho, epsilon) <= delta) high = epsilon;
    else low = epsilon;
  }
  return high;
}

function checkDelta(delta: number): void {
  if (!(delta > 0 && delta < 1)) throw new RangeError('δ is between 0 and 1');
}
