/**
 * Exact integer noise (Canonne, Kamath and Steinke 2020, "The Discrete Gaussian for Differential Privacy"). Low bits of
 * doubles would leak data (Mironov 2012).
 */

/** Uniform, as secret as the noise must be. */
export type RandomBytes = (count: number) => Uint8Array;

export interface Fraction {
  of: bigint;
  over: bigint;
}

/** Uniform on 0 … n-1, by rejection. */
export function drawBelow(n: bigint, bytes: RandomBytes): bigint {
  if (n <= 0n) throw new RangeError(`a choice is of 1 or more, not ${n}`);
  const bits = (n - 1n).toString(2).length;
  const mask = (1n << BigInt(bits)) - 1n;
  for (;;) {
    let drawn = 0n;
    for (const byte of bytes(Math.ceil(bits / 8))) drawn = (drawn << 8n) | BigInt(byte);
    drawn &= mask;
    if (drawn < n) return drawn;
  }
}

const drawBernoulli = ({ of, over }: Fraction, bytes: RandomBytes): boolean => drawBelow(over, bytes) < of;

/** True with probability e^-(of / over), exponent ≥ 0. */
export function drawBernoulliExp({ of, over }: Fraction, bytes: RandomBytes): boolean {
  if (of < 0n) throw new RangeError('the exponent is from 0');
  for (let left = of / over; left > 0n; left--) if (!drawExpBelow1({ of: 1n, over: 1n }, bytes)) return false;
  return drawExpBelow1({ of: of % over, over }, bytes);
}

/** Series of e^-x, exponents up to 1. */
function drawExpBelow1({ of, over }: Fraction, bytes: RandomBytes): boolean {
  let k = 1n;
  while (drawBernoulli({ of, over: over * k }, bytes)) k++;
  return k % 2n === 1n;
}

/** P(y) ∝ e^-(|y| / scale) on whole numbers, scale > 0. */
export function drawDiscreteLaplace(scale: Fraction, bytes: RandomBytes): bigint {
  const { of: t, over: s } = scale;
  if (t <= 0n) throw new RangeError('the scale of a discrete Laplace variable is above 0');
  for (;;) {
    const u = drawBelow(t, bytes);
    if (!drawBernoulliExp({ of: u, over: t }, bytes)) continue;
    let v = 0n;
    while (drawExpBelow1({ of: 1n, over: 1n }, bytes)) v++;
    const size = (u + t * v) / s;
    const isNegative = drawBelow(2n, bytes) === 1n;
    if (!(isNegative && size === 0n)) return isNegative ? -size : size;
  }
}

/** P(y) ∝ e^-(y² / (2 variance)) on whole numbers, σ² > 0. */
export function drawDiscreteGaussian({ of, over }: Fraction, bytes: RandomBytes): bigint {
  if (of <= 0n) throw new RangeError('the variance of a discrete Gaussian variable is above 0');
  const t = rootOf(of / over) + 1n;
  for (;;) {
    const y = drawDiscreteLaplace({ of: t, over: 1n }, bytes);
    const gap = (y < 0n ? -y : y) * t * over - of;
    if (drawBernoulliExp({ of: gap * gap, over: 2n * of * over * t * t }, bytes)) return y;
  }
}

function rootOf(n: bigint): bigint {
  if (n < 2n) return n;
  let root = 1n << BigInt((n.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + n / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** Exponential mechanism by rejection: probability ∝ e^(rate × score). */
export function drawByScore(scores: readonly bigint[], rate: Fraction, bytes: RandomBytes): number {
  if (scores.length === 0) throw new RangeError('there is nothing to choose from');
  let best = scores[0]!;
  for (const score of scores) if (score > best) best = score;
  for (;;) {
    const at = Number(drawBelow(BigInt(scores.length), bytes));
    if (drawBernoulliExp({ of: (best - scores[at]!) * rate.of, over: rate.over }, bytes)) return at;
  }
}

const BLOCK = 4096;

/** System calls are slow. */
export function inBlocks(bytes: RandomBytes): RandomBytes {
  let block: Uint8Array = new Uint8Array(0);
  let at = 0;
  return (count) => {
    if (count > BLOCK) return bytes(count);
    if (at + count > block.length) {
      block = bytes(BLOCK);
      at = 0;
    }
    at += count;
    return block.subarray(at - count, at);
  };
}
