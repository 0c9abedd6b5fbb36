/**
 * The regularised incomplete beta function, by a continued fraction and a prefactor in which nothing cancels;
 * for two large parameters by the uniform expansion of Temme (1992).
 */
import { lessLog1p } from './deviance.ts';
import { gammaNormaliser } from './gammaRatio.ts';
import { normalCdf } from './normal.ts';

const EPSILON = 2 ** -54;
const TINY = 1e-300;
/** The fraction needs some 2 √min(a, b) steps. */
const MOST_STEPS = 50_000;
/** Where both parameters are above this, the fraction would take too long, and its limit is exact to 12 digits. */
const LARGE = 1e8;

const scratch = new Float64Array(2);

/** I_x(a, b): the share of a beta distribution (a, b > 0) below x. `rest` is 1 - x, where it is known better. */
export function betaP(a: number, b: number, x: number, rest: number = 1 - x): number {
  if (!(a >= 0 && b >= 0) || Number.isNaN(x)) return Number.NaN;
  if (x <= 0) return 0;
  if (rest <= 0) return 1;
  if (a === 0 || b === 0) return a === 0 ? 1 : 0;
  if (Math.min(a, b) > LARGE) return limit(a, b, x, rest);
  // x < (a + 1) / (a + b + 2), without the overflow
  if (x * (b + 1) < rest * (a + 1)) return Math.min(1, fraction(a, b, x, rest));
  return 1 - Math.min(1, fraction(b, a, rest, x));
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

/** BFRAC of Didonato and Morris (1992), "Algorithm 708", by Lentz's method; for x below (a + 1) / (a + b + 2). */
function fraction(a: number, b: number, x: number, rest: number): number {
  const lambda = rest * a - x * b;
  let value = (a / (a + 1)) * (lambda + 1);
  let c = value;
  let d = 0;
  for (let n = 1; n <= MOST_STEPS; n++) {
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

const notZero = (x: number): number => (Math.abs(x) < TINY ? TINY : x);

/** Temme's uniform expansion, cut after its first correction: the error is of the order min(a, b)^(-3/2). */
function limit(a: number, b: number, x: number, rest: number): number {
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
