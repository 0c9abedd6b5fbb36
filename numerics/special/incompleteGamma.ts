/**
 * The regularised incomplete gamma functions. Series and continued fraction (Abramowitz and Stegun 6.5.29, 6.5.31);
 * for large shapes near the middle the uniform expansion of Temme (1987) as Gil, Segura and Temme (2012) sum it.
 */
import { lessLog1p } from './deviance.ts';
import { ASYMPTOTIC_FROM, lgamma, stirlingRest } from './gamma.ts';
import { HALF_LOG_2PI } from './gammaRatio.ts';
import { normalCdf } from './normal.ts';

/** From here on the uniform expansion is exact to the last digits where |x/a - 1| < NEAR. */
const UNIFORM_FROM = 25;
const NEAR = 0.3;
/** Outside the uniform expansion's region both loops end long before. */
const MOST_TERMS = 1000;
const EPSILON = 2 ** -54;
const TINY = 1e-300;

/** P(a, x): the share of a gamma distribution of shape a > 0 below x. */
export function gammaP(a: number, x: number): number {
  return bothTails(a, x, true);
}

/** Q(a, x) = 1 - P(a, x), precise where it is small. */
export function gammaQ(a: number, x: number): number {
  return bothTails(a, x, false);
}

function bothTails(a: number, x: number, below: boolean): number {
  if (!(a >= 0) || Number.isNaN(x)) return Number.NaN;
  if (x <= 0 || a === Number.POSITIVE_INFINITY) return below ? 0 : 1;
  if (x === Number.POSITIVE_INFINITY || a === 0) return below ? 1 : 0;
  if (a >= UNIFORM_FROM && Math.abs(x - a) < NEAR * a) return uniform(a, x, below);
  if (x < a + 1) {
    const p = Math.min(1, series(a, x));
    return below ? p : 1 - p;
  }
  const q = Math.min(1, fraction(a, x));
  return below ? 1 - q : q;
}

/** x^a e^-x / Γ(a + 1). */
function power(a: number, x: number): number {
  if (a < ASYMPTOTIC_FROM) return Math.exp(a * Math.log(x) - x - lgamma(a + 1));
  return Math.exp(-a * lessLog1p((x - a) / a, x / a) - HALF_LOG_2PI - stirlingRest(a)) / Math.sqrt(a);
}

/** P for x < a + 1. */
function series(a: number, x: number): number {
  let term = 1;
  let sum = 1;
  for (let k = 1; k < MOST_TERMS && term > sum * EPSILON; k++) {
    term *= x / (a + k);
    sum += term;
  }
  return power(a, x) * sum;
}

/** Q for x ≥ a + 1, by Lentz's method. */
function fraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = 1 / TINY;
  let d = 1 / b;
  let value = d;
  for (let k = 1; k < MOST_TERMS; k++) {
    const numerator = -k * (k - a);
    b += 2;
    d = 1 / notZero(numerator * d + b);
    c = notZero(b + numerator / c);
    value *= c * d;
    if (Math.abs(c * d - 1) < EPSILON) break;
  }
  return power(a, x) * a * value;
}

const notZero = (x: number): number => (Math.abs(x) < TINY ? TINY : x);

const TERMS = 26;
const INVERSE_STEPS = makeInverseSteps();

/** Coefficients of η / (λ - 1) in powers of η, where η²/2 = λ - 1 - log λ. */
function makeInverseSteps(): Float64Array {
  // λ - 1 = Σ a_k η^k solves (λ - 1) λ' = η λ.
  const a = new Float64Array(TERMS + 2);
  a[1] = 1;
  for (let n = 2; n < a.length; n++) {
    let sum = a[n - 1]!;
    for (let j = 2; j < n; j++) sum -= a[j]! * (n + 1 - j) * a[n + 1 - j]!;
    a[n] = sum / (n + 1);
  }
  const inverse = new Float64Array(TERMS);
  inverse[0] = 1;
  for (let n = 1; n < TERMS; n++) {
    for (let j = 1; j <= n; j++) inverse[n]! -= a[j + 1]! * inverse[n - j]!;
  }
  return inverse;
}

/** A normal tail at η √a, and its correction: Σ b_k η^k with b_k = d_(k+1) + (k + 2) b_(k+2) / a. */
function uniform(a: number, x: number, below: boolean): number {
  const halfSquare = lessLog1p((x - a) / a, x / a);
  const eta = Math.sign(x - a) * Math.sqrt(2 * halfSquare);
  let [b2, b1, sum] = [0, 0, 0];
  for (let k = TERMS - 2; k >= 0; k--) {
    const b = INVERSE_STEPS[k + 1]! + ((k + 2) * b2) / a;
    sum = sum * eta + b;
    b2 = b1;
    b1 = b;
  }
  // After the loop b2 is b_1.
  const correction = ((Math.exp(-a * halfSquare) / Math.sqrt(2 * Math.PI * a)) * sum) / (1 + b2 / a);
  const side = eta * Math.sqrt(a);
  return below ? normalCdf(side) - correction : normalCdf(-side) + correction;
}
