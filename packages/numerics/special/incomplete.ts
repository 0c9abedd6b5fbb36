/**
 * Incomplete gamma by series and continued fraction (Abramowitz and Stegun 6.5.29, 6.5.31), or Temme's (1987) uniform
 * expansion (Gil, Segura and Temme 2012) for large shapes.
 */
import { ASYMPTOTIC_FROM, gammaNormaliser, HALF_LOG_2PI, lessLog1p, lgamma, stirlingRest } from './gamma.ts';
import { normalCdf } from './normal.ts';

/** The uniform expansion is exact from here if |x/a - 1| < NEAR. */
const UNIFORM_FROM = 25;
const NEAR = 0.3;
const MAX_TERMS = 1000;
const EPSILON = 2 ** -54;
const TINY = 1e-300;

/** Regularised P(a, x), a ≥ 0 (Gil, Segura and Temme 2012). NaN outside. */
export function gammaP(a: number, x: number): number {
  return tail(a, x, 'lower');
}

/** Q(a, x) = 1 - P(a, x), accurate if small. NaN outside. */
export function gammaQ(a: number, x: number): number {
  return tail(a, x, 'upper');
}

function tail(a: number, x: number, side: 'lower' | 'upper'): number {
  const below = side === 'lower';
  if (!(a >= 0) || Number.isNaN(x)) return Number.NaN;
  if (x <= 0 || a === Number.POSITIVE_INFINITY) return below ? 0 : 1;
  if (x === Number.POSITIVE_INFINITY || a === 0) return below ? 1 : 0;
  if (a >= UNIFORM_FROM && Math.abs(x - a) < NEAR * a) return uniform(a, x, below);
  if (x < a + 1) {
    const p = Math.min(1, series(a, x));
    return below ? p : 1 - p;
  }
  const q = Math.min(1, gammaFraction(a, x));
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
  for (let k = 1; k < MAX_TERMS && term > sum * EPSILON; k++) {
    term *= x / (a + k);
    sum += term;
  }
  return power(a, x) * sum;
}

/** Q for x ≥ a + 1, by Lentz's method. */
function gammaFraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = 1 / TINY;
  let d = 1 / b;
  let value = d;
  for (let k = 1; k < MAX_TERMS; k++) {
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

/** Coefficients of η / (λ - 1), η²/2 = λ - 1 - log λ. */
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

/** Normal tail at η √a plus Σ b_k η^k, b_k = d_(k+1) + (k + 2) b_(k+2) / a. */
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
  // b2 is b_1 here.
  const correction = ((Math.exp(-a * halfSquare) / Math.sqrt(2 * Math.PI * a)) * sum) / (1 + b2 / a);
  const side = eta * Math.sqrt(a);
  return below ? normalCdf(side) - correction : normalCdf(-side) + correction;
}

/** P(T ≤ t), nu > 0, accurate in the lower tail. NaN gives NaN. */
export function studentTCdf(t: number, nu: number): number {
  if (Number.isNaN(t)) return Number.NaN;
  if (t > 0) return 1 - studentTCdf(-t, nu);
  const square = t * t;
  if (square === Number.POSITIVE_INFINITY) return farTail(-t, nu);
  const inside = nu / (nu + square);
  return 0.5 * betaP(0.5 * nu, 0.5, inside, square / (nu + square));
}

/** t² overflows: I_x(a, ½) ≈ x^a / (a B(a, ½)), x = ν/t². */
function farTail(size: number, nu: number): number {
  const edge = 1e150;
  if (size === Number.POSITIVE_INFINITY) return 0;
  return studentTCdf(-edge, nu) * Math.exp(-nu * (Math.log(size) - Math.log(edge)));
}

// Incomplete beta by a continued fraction, or Temme's (1992) uniform expansion.

/** Needs about 2 √min(a, b) steps. */
const MAX_STEPS = 50_000;
/** The limit is accurate to 12 digits above this. */
const LARGE = 1e8;

const scratch = new Float64Array(2);

/** Regularised I_x(a, b), a, b ≥ 0. `rest`: 1 - x, if known more accurately. NaN outside. */
export function betaP(a: number, b: number, x: number, rest: number = 1 - x): number {
  if (!(a >= 0 && b >= 0) || Number.isNaN(x)) return Number.NaN;
  if (x <= 0) return 0;
  if (rest <= 0) return 1;
  if (a === 0 || b === 0) return a === 0 ? 1 : 0;
  if (Math.min(a, b) > LARGE) return betaLimit(a, b, x, rest);
  // x < (a + 1) / (a + b + 2) without overflow
  if (x * (b + 1) < rest * (a + 1)) return Math.min(1, betaFraction(a, b, x, rest));
  return 1 - Math.min(1, betaFraction(b, a, rest, x));
}

/** log of x^a (1 - x)^b / B(a, b). */
export function logBetaKernel(a: number, b: number, x: number, rest: number): number {
  const log = (value: number): number => {
    gammaNormaliser(value, Math.log(value), scratch);
    return scratch[0]!;
  };
  const excess = x * b - rest * a;
  return (
    log(a) +
    log(b) -
    log(a + b) -
    a * lessLog1p(excess / a, (x / a) * (a + b)) -
    b * lessLog1p(-excess / b, (rest / b) * (a + b))
  );
}

/** BFRAC of Didonato and Morris (1992), "Algorithm 708"; x < (a + 1) / (a + b + 2). */
function betaFraction(a: number, b: number, x: number, rest: number): number {
  const lambda = rest * a - x * b;
  let value = (a / (a + 1)) * (lambda + 1);
  let c = value;
  let d = 0;
  for (let n = 1; n <= MAX_STEPS; n++) {
    const odd = a + 2 * n - 1;
    const turn = (n * (b - n) * x) / odd;
    const alpha = ((a + n - 1) / odd) * (((a + b + n - 1) / odd) * x) * (n * (b - n) * x);
    const beta = n + turn + ((a + n) / (odd + 2)) * (lambda + 1 + n * (1 + rest));
    d = 1 / notZero(beta + alpha * d);
    c = notZero(beta + alpha / c);
    value *= c * d;
    if (Math.abs(c * d - 1) < EPSILON) break;
  }
  return Math.exp(logBetaKernel(a, b, x, rest)) / value;
}

/** Error O(min(a, b)^(-3/2)). */
function betaLimit(a: number, b: number, x: number, rest: number): number {
  const n = a + b;
  const excess = x * (b / n) - rest * (a / n);
  const spread = Math.sqrt(a / n) * Math.sqrt(b / n);
  const deviance =
    (a / n) * lessLog1p((excess * n) / a, (x * n) / a) + (b / n) * lessLog1p((-excess * n) / b, (rest * n) / b);
  const zeta = Math.sign(excess) * Math.sqrt(2 * deviance);
  const gap = Math.abs(zeta) < 1e-8 ? (b / n - a / n) / (3 * spread) : 1 / zeta - spread / excess;
  const correction = (Math.exp(-n * deviance) / Math.sqrt(2 * Math.PI * n)) * gap;
  return Math.min(1, Math.max(0, normalCdf(zeta * Math.sqrt(n)) + correction));
}
