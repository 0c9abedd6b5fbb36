/** Stirling's series from 8; below, tabulated Taylor series about eighths, which need no logarithm or division. */

export const HALF_LOG_2PI = 0.9189385332046728;
const EULER_GAMMA = 0.5772156649015329;

/** Eight asymptotic terms are exact from here. */
export const ASYMPTOTIC_FROM = 8;
/** Three terms suffice from here. */
const FAR = 200;

/** ζ(k) - 1 for k = 2, 3, … */
const ZETA_LESS_ONE = [
  0.6449340668482264, 0.2020569031595943, 0.08232323371113819, 0.03692775514336993, 0.01734306198444914,
  0.008349277381922827, 0.00407735619794434, 0.0020083928260822143, 0.0009945751278180853, 0.0004941886041194645,
  0.0002460865533080483, 0.00012271334757848915, 6.124813505870483e-5, 3.058823630702049e-5, 1.528225940865187e-5,
  7.637197637899763e-6, 3.81729326499984e-6, 1.908212716553939e-6, 9.539620338727962e-7, 4.769329867878064e-7,
  2.38450502727733e-7, 1.1921992596531106e-7, 5.960818905125948e-8, 2.980350351465228e-8, 1.4901554828365043e-8,
  7.45071178983543e-9, 3.725334024788457e-9, 1.862659723513049e-9, 9.313274324196682e-10,
] as const;

/** Rows contain TERMS coefficients each of log Γ and ψ. */
const PER_UNIT = 8;
const CENTRES = (ASYMPTOTIC_FROM - 1) * PER_UNIT + 1;
const TERMS = 14;
const ROW = 2 * TERMS;
/** x + 1 is used below this. */
const TABLE_FROM = 1 - 0.5 / PER_UNIT;
const TABLE = makeTable();

/** log Γ(2 + z) and ψ(2 + z), |z| ≤ 0.5, by Taylor series. */
function nearTwo(z: number): { value: number; slope: number } {
  let value = 0;
  let slope = 0;
  for (let k = ZETA_LESS_ONE.length + 1; k >= 2; k--) {
    const term = (k % 2 === 0 ? 1 : -1) * ZETA_LESS_ONE[k - 2]!;
    value = (value + term / k) * z;
    slope = (slope + term) * z;
  }
  return { value: z * (1 - EULER_GAMMA + value), slope: 1 - EULER_GAMMA + slope };
}

function atCentre(x: number): { value: number; slope: number } {
  if (x < 1.5) {
    const { value, slope } = nearTwo(x - 1);
    return { value: value - Math.log(x), slope: slope - 1 / x };
  }
  let product = 1;
  let shift = 0;
  let base = x;
  for (; base >= 2.5; base--) {
    product *= base - 1;
    shift += 1 / (base - 1);
  }
  const { value, slope } = nearTwo(base - 2);
  return { value: value + Math.log(product), slope: slope + shift };
}

/** Hurwitz ζ(s, c), s ≥ 2, c ≥ 1, by Euler-Maclaurin. */
function hurwitz(s: number, c: number): number {
  let sum = 0;
  for (let j = 15; j >= 0; j--) sum += (c + j) ** -s;
  const end = c + 16;
  const tail = end / (s - 1) + 0.5;
  const corrections =
    (s / end) * (1 / 12 - (((s + 1) * (s + 2)) / (end * end)) * (1 / 720 - ((s + 3) * (s + 4)) / (30240 * end * end)));
  return sum + (tail + corrections) * end ** -s;
}

/** d^k/dx^k log Γ / k! = (-1)^k ζ(k, c) / k. */
function makeTable(): Float64Array {
  const table = new Float64Array(CENTRES * ROW);
  for (let i = 0; i < CENTRES; i++) {
    const centre = 1 + i / PER_UNIT;
    const { value, slope } = atCentre(centre);
    table[i * ROW] = value;
    table[i * ROW + 1] = slope;
    table[i * ROW + TERMS] = slope;
    for (let k = 2; k <= TERMS; k++) {
      const coefficient = (k % 2 === 0 ? 1 : -1) * hurwitz(k, centre);
      if (k < TERMS) table[i * ROW + k] = coefficient / k;
      table[i * ROW + TERMS + k - 1] = coefficient;
    }
  }
  return table;
}

/** Separate even and odd chains are faster. */
function taylor(at: number, t: number): number {
  const s = t * t;
  const even =
    TABLE[at]! +
    s *
      (TABLE[at + 2]! +
        s *
          (TABLE[at + 4]! + s * (TABLE[at + 6]! + s * (TABLE[at + 8]! + s * (TABLE[at + 10]! + s * TABLE[at + 12]!)))));
  const odd =
    TABLE[at + 1]! +
    s *
      (TABLE[at + 3]! +
        s *
          (TABLE[at + 5]! + s * (TABLE[at + 7]! + s * (TABLE[at + 9]! + s * (TABLE[at + 11]! + s * TABLE[at + 13]!)))));
  return even + t * odd;
}

/** log Γ(x) - ((x - ½) log x - x + ½ log 2π), x ≥ 8: B(2k) / (2k (2k-1) x^(2k-1)). */
export function stirlingRest(x: number): number {
  const r = 1 / x;
  const y = r * r;
  if (x >= FAR) return r * (1 / 12 - y * (1 / 360 - y * (1 / 1260)));
  const low = 1 / 12 + y * (-1 / 360 + y * (1 / 1260 - y * (1 / 1680)));
  const high = 1 / 1188 + y * (-691 / 360360 + y * (1 / 156 - y * (3617 / 122400)));
  return r * (low + y * y * (y * y) * high);
}

/** log x - 1/(2x) - ψ(x), x ≥ 8: B(2k) / (2k x^2k). */
function digammaRest(x: number): number {
  const r = 1 / x;
  const y = r * r;
  if (x >= FAR) return y * (1 / 12 - y * (1 / 120 - y * (1 / 252)));
  const low = 1 / 12 + y * (-1 / 120 + y * (1 / 252 - y * (1 / 240)));
  const high = 1 / 132 + y * (-691 / 32760 + y * (1 / 12 - y * (3617 / 8160)));
  return y * (low + y * y * (y * y) * high);
}

/** log Γ(x), x > 0, relative error below 1e-13. Infinity at 0; NaN below. */
export function lgamma(x: number): number {
  if (x >= ASYMPTOTIC_FROM) {
    if (x === Number.POSITIVE_INFINITY) return x;
    return (x - 0.5) * (Math.log(x) - 1) - 0.5 + HALF_LOG_2PI + stirlingRest(x);
  }
  if (!(x > 0)) return x === 0 ? Number.POSITIVE_INFINITY : Number.NaN;
  if (x < TABLE_FROM) return lgamma(x + 1) - Math.log(x);
  const i = ((x - 1) * PER_UNIT + 0.5) | 0;
  return taylor(i * ROW, x - 1 - i / PER_UNIT);
}

/** ψ(x) = d log Γ(x) / dx, x > 0, error below 1e-13 of max(1, |ψ|). -Infinity at 0; NaN below. */
export function digamma(x: number): number {
  if (x >= ASYMPTOTIC_FROM) return Math.log(x) - 0.5 / x - digammaRest(x);
  if (!(x > 0)) return x === 0 ? Number.NEGATIVE_INFINITY : Number.NaN;
  if (x < TABLE_FROM) return digamma(x + 1) - 1 / x;
  const i = ((x - 1) * PER_UNIT + 0.5) | 0;
  return taylor(i * ROW + TERMS, x - 1 - i / PER_UNIT);
}

/** Writes log Γ(x) and ψ(x); costs little more than one of them. */
export function lgammaDigamma(x: number, out: Float64Array): void {
  if (x >= ASYMPTOTIC_FROM && x < Number.POSITIVE_INFINITY) {
    const log = Math.log(x);
    out[0] = (x - 0.5) * (log - 1) - 0.5 + HALF_LOG_2PI + stirlingRest(x);
    out[1] = log - 0.5 / x - digammaRest(x);
  } else if (x >= TABLE_FROM && x < ASYMPTOTIC_FROM) {
    const i = ((x - 1) * PER_UNIT + 0.5) | 0;
    const t = x - 1 - i / PER_UNIT;
    out[0] = taylor(i * ROW, t);
    out[1] = taylor(i * ROW + TERMS, t);
  } else if (x > 0 && x < TABLE_FROM) {
    const i = (x * PER_UNIT + 0.5) | 0;
    const t = x - i / PER_UNIT;
    out[0] = taylor(i * ROW, t) - Math.log(x);
    out[1] = taylor(i * ROW + TERMS, t) - 1 / x;
  } else {
    out[0] = lgamma(x);
    out[1] = digamma(x);
  }
}

// Cancellation-free combinations of log Γ with derivatives by log x. They take log x too, since x may under- or
// overflow.

/** Products with a double's log stay finite. */
export const MAX_LOG_SHAPE = 690;

const high = new Float64Array(2);
const low = new Float64Array(2);

/** Writes N(x) = x log x - x - log Γ(x) and x N'(x), x > 0. */
export function gammaNormaliser(x: number, logX: number, out: Float64Array): void {
  if (x >= ASYMPTOTIC_FROM) {
    out[0] = 0.5 * logX - HALF_LOG_2PI - stirlingRest(x);
    out[1] = 0.5 + x * digammaRest(x);
    return;
  }
  lgammaDigamma(x + 1, low);
  const xLogX = x === 0 ? 0 : x * logX;
  out[0] = xLogX - x - low[0]! + logX;
  out[1] = xLogX - x * low[1]! + 1;
}

/** Writes log Γ(x + a) - log Γ(x) - a log x (→ 0 for large x) and x (ψ(x + a) - ψ(x)) (→ a), x > 0, a ≥ 0. */
export function gammaRise(x: number, logX: number, a: number, out: Float64Array): void {
  if (a === 0) {
    out[0] = 0;
    out[1] = 0;
  } else if (x >= ASYMPTOTIC_FROM) {
    const log = Math.log1p(a / x);
    out[0] = (x + a - 0.5) * log - a + stirlingRest(x + a) - stirlingRest(x);
    out[1] = x * (log - digammaRest(x + a) + digammaRest(x)) + (0.5 * a) / (x + a);
  } else {
    lgammaDigamma(x + a, high);
    lgammaDigamma(x + 1, low);
    out[0] = high[0]! - low[0]! + (1 - a) * logX;
    out[1] = x * (high[1]! - low[1]!) + 1;
  }
}

/** t - log(1 + t), t ≥ -1. `ratio`: 1 + t, if known more accurately. */
export function lessLog1p(t: number, ratio: number = 1 + t): number {
  if (Math.abs(t) > 0.3) return t === Number.POSITIVE_INFINITY ? t : t - Math.log(ratio);
  // log(1 + t) = 2 artanh r
  const r = t / (2 + t);
  const s = r * r;
  let sum = 0;
  for (let k = 19; k >= 3; k -= 2) sum = sum * s + 1 / k;
  return r * (t - 2 * s * sum);
}

/** Accurate for large y; the mean is e^eta. */
export function logPoissonMass(y: number, eta: number): number {
  if (y < ASYMPTOTIC_FROM) return y * eta - Math.exp(eta) - lgamma(y + 1);
  const d = eta - Math.log(y);
  return -y * (Math.expm1(d) - d) - 0.5 * Math.log(y) - HALF_LOG_2PI - stirlingRest(y);
}
