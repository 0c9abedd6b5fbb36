/** The second derivative of log Γ, on the positive axis. */

const ASYMPTOTIC_FROM = 10;
/** Bernoulli numbers B(2) … B(18). */
const BERNOULLI = [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798] as const;

/** ψ'(x) for x > 0, relative error below 1e-13. Infinity at 0; NaN below. */
export function trigamma(x: number): number {
  if (!(x > 0)) return x === 0 ? Number.POSITIVE_INFINITY : Number.NaN;
  let shift = 0;
  let base = x;
  for (; base < ASYMPTOTIC_FROM; base++) shift += 1 / (base * base);
  const r = 1 / base;
  const y = r * r;
  let sum = 0;
  for (let k = BERNOULLI.length - 1; k >= 0; k--) sum = sum * y + BERNOULLI[k]!;
  return shift + r * (1 + r * (0.5 + r * sum));
}
