/** 1 / (1 + e^-x). */
export function sigmoid(x: number): number {
  if (x >= 0) return 1 / (1 + Math.exp(-x));
  const e = Math.exp(x);
  return e / (1 + e);
}

/** log(1 + e^x), accurate on both sides. */
export function log1pexp(x: number): number {
  return x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x));
}

/** log log(1 + e^x), accurate where log(1 + e^x) underflows. */
export function logLog1pexp(x: number): number {
  if (x > -37) return Math.log(log1pexp(x));
  return x;
}

/** log(1 - e^-u), u ≥ 0. */
export function log1mexp(u: number): number {
  return u < Math.LN2 ? Math.log(-Math.expm1(-u)) : Math.log1p(-Math.exp(-u));
}

/** log(e^a + e^b). */
export function logAddExp(a: number, b: number): number {
  const high = Math.max(a, b);
  return high === Number.NEGATIVE_INFINITY ? high : high + Math.log1p(Math.exp(-Math.abs(a - b)));
}

/** log(e^a - e^b), a ≥ b. */
export function logDiffExp(a: number, b: number): number {
  return a === b ? Number.NEGATIVE_INFINITY : a + log1mexp(a - b);
}
