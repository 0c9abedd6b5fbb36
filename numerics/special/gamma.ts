/** The gamma function's logarithm and its derivative, on the positive axis. */

const EULER_GAMMA = 0.5772156649015329;
const HALF_LOG_2PI = 0.9189385332046728;

/** ζ(k) - 1 for k = 2, 3, … */
const ZETA_LESS_ONE = [
  0.6449340668482264, 0.2020569031595943, 0.08232323371113819, 0.03692775514336993, 0.01734306198444914,
  0.008349277381922827, 0.00407735619794434, 0.0020083928260822143, 0.0009945751278180853, 0.0004941886041194645,
  0.0002460865533080483, 0.00012271334757848915, 6.124813505870483e-5, 3.058823630702049e-5, 1.528225940865187e-5,
  7.637197637899763e-6, 3.81729326499984e-6, 1.908212716553939e-6, 9.539620338727962e-7, 4.769329867878064e-7,
  2.38450502727733e-7, 1.1921992596531106e-7, 5.960818905125948e-8, 2.980350351465228e-8, 1.4901554828365043e-8,
  7.45071178983543e-9, 3.725334024788457e-9, 1.862659723513049e-9, 9.313274324196682e-10,
] as const;

/** Stirling's series: B(2k) / (2k (2k-1)) for k = 1 … 8. */
const STIRLING = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400] as const;

/** Digamma's series: B(2k) / 2k for k = 1 … 8. */
const DIGAMMA_SERIES = [1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12, -3617 / 8160] as const;

/** From here on both asymptotic series are exact to the last digit. */
const ASYMPTOTIC_FROM = 12;

/** Σ_k coefficients[k] y^k, y = 1/x². */
function inverseSquareSeries(coefficients: readonly number[], x: number): number {
  const y = 1 / (x * x);
  let sum = 0;
  for (let k = coefficients.length - 1; k >= 0; k--) sum = sum * y + coefficients[k]!;
  return sum;
}

/** log Γ(2 + z) for |z| ≤ 0.5, by its Taylor series: accurate in the neighbourhood of the zero at z = 0. */
function logGammaNearTwo(z: number): number {
  let sum = 0;
  for (let k = ZETA_LESS_ONE.length + 1; k >= 2; k--) {
    sum = (sum + (k % 2 === 0 ? 1 : -1) * (ZETA_LESS_ONE[k - 2]! / k)) * z;
  }
  return z * (1 - EULER_GAMMA + sum);
}

/** log Γ(x) for x > 0, relative error below 1e-13, near the zeros at 1 and 2 too. Infinity at 0; NaN below. */
export function lgamma(x: number): number {
  if (!(x > 0)) return x === 0 ? Number.POSITIVE_INFINITY : Number.NaN;
  if (x < 0.5) return lgamma(x + 1) - Math.log(x);
  if (x < 1.5) return logGammaNearTwo(x - 1) - Math.log1p(x - 1);
  if (x < 2.5) return logGammaNearTwo(x - 2);
  if (x >= ASYMPTOTIC_FROM) {
    if (x === Number.POSITIVE_INFINITY) return x;
    return (x - 0.5) * (Math.log(x) - 1) - 0.5 + HALF_LOG_2PI + inverseSquareSeries(STIRLING, x) / x;
  }
  let product = 1;
  let base = x;
  for (; base >= 2.5; base--) product *= base - 1;
  return logGammaNearTwo(base - 2) + Math.log(product);
}

/** ψ(x) = d log Γ(x) / dx for x > 0, error below 1e-13 of max(1, |ψ|). -Infinity at 0; NaN below. */
export function digamma(x: number): number {
  if (!(x > 0)) return x === 0 ? Number.NEGATIVE_INFINITY : Number.NaN;
  let shift = 0;
  let base = x;
  for (; base < ASYMPTOTIC_FROM; base++) shift += 1 / base;
  return Math.log(base) - 0.5 / base - inverseSquareSeries(DIGAMMA_SERIES, base) / (base * base) - shift;
}
