import { mean } from '../moments.ts';

/** Direct sums are faster below this lag. */
const DIRECT_LAGS = 64;

/** Returns the autocovariance at lags 0 … n-1, divisor n. */
export function autocovariance(chain: Float64Array): (lag: number) => number {
  const n = chain.length;
  const centre = mean(chain);
  const centred = chain.map((x) => x - centre);
  let all: Float64Array | undefined;
  return (lag) => {
    if (lag >= DIRECT_LAGS) {
      all ??= correlateAll(centred);
      return all[lag]! / n;
    }
    let sum = 0;
    for (let i = lag; i < n; i++) sum += centred[i]! * centred[i - lag]!;
    return sum / n;
  };
}

/** Uses the power spectrum of zero-padded x. */
function correlateAll(x: Float64Array): Float64Array {
  const size = 2 ** Math.ceil(Math.log2(2 * x.length));
  const real = new Float64Array(size);
  const imaginary = new Float64Array(size);
  real.set(x);
  transform(real, imaginary);
  for (let i = 0; i < size; i++) real[i] = real[i]! ** 2 + imaginary[i]! ** 2;
  imaginary.fill(0);
  transform(real, imaginary);
  // The spectrum is real and even, so transforms differ by their size only.
  return real.subarray(0, x.length).map((value) => value / size);
}

/** In-place Fourier transform of length 2^k (Cooley and Tukey 1965). */
function transform(real: Float64Array, imaginary: Float64Array): void {
  const size = real.length;
  reorder(real, imaginary);
  for (let span = 2; span <= size; span *= 2) {
    const half = span / 2;
    for (let k = 0; k < half; k++) {
      const cosine = Math.cos((-2 * Math.PI * k) / span);
      const sine = Math.sin((-2 * Math.PI * k) / span);
      for (let i = k; i < size; i += span) {
        const j = i + half;
        const re = real[j]! * cosine - imaginary[j]! * sine;
        const im = real[j]! * sine + imaginary[j]! * cosine;
        real[j] = real[i]! - re;
        imaginary[j] = imaginary[i]! - im;
        real[i]! += re;
        imaginary[i]! += im;
      }
    }
  }
}

function reorder(real: Float64Array, imaginary: Float64Array): void {
  const size = real.length;
  for (let i = 0, j = 0; i < size; i++) {
    if (i < j) {
      const re = real[i]!;
      real[i] = real[j]!;
      real[j] = re;
      const im = imaginary[i]!;
      imaginary[i] = imaginary[j]!;
      imaginary[j] = im;
    }
    let bit = size >>> 1;
    for (; bit > 0 && j & bit; bit >>>= 1) j ^= bit;
    j ^= bit;
  }
}
