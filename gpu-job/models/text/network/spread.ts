/**
 * An orthogonal change of basis in which no channel stands out (after QuaRot, Ashkboos et al., 2024): signs, then cosine
 * transforms over the prime factors of a length, which over powers of two are Hadamard's matrix.
 */

/**
 * Spreads every `length` vectors of `stride` entries among themselves, in place: with stride 1 the entries of each run of
 * `length`; with a matrix's width as stride its rows, which is to spread every column.
 */
export function spread(values: Float32Array, length: number, stride = 1): void {
  const transforms = primeFactors(length).map((factor) => cosineMatrix(factor));
  const signs = Float64Array.from({ length }, (_, k) => signOf(k) * (length & -length) ** -0.5);
  for (let from = 0; from < values.length; from += length * stride) {
    const to = from + length * stride;
    for (let at = from, k = 0; at < to; at += stride, k++) {
      for (let i = at; i < at + stride; i++) values[i]! *= signs[k]!;
    }
    let span = stride;
    for (const { factor, cosines } of transforms) {
      if (factor === 2) butterflies(values, from, to, span);
      else cosineTransform(values, from, to, span, cosines);
      span *= factor;
    }
  }
}

/** The matrix M of which x M is x spread, [length, length]. */
export function spreadMatrix(length: number): Float32Array {
  const out = new Float32Array(length * length);
  for (let k = 0; k < length; k++) out[k * length + k] = 1;
  spread(out, length);
  return out;
}

function primeFactors(of: number): number[] {
  const out: number[] = [];
  for (let rest = of, factor = 2; rest > 1; factor++) {
    for (; rest % factor === 0; rest /= factor) out.push(factor);
  }
  return out;
}

/** A vector's channels may share a mean, which signs keep from gathering in one of them. */
function signOf(channel: number): number {
  const product = Math.imul(channel + 1, 0x9e3779b1);
  return Math.imul(product ^ (product >>> 15), 0x85ebca6b) < 0 ? -1 : 1;
}

function butterflies(values: Float32Array, from: number, to: number, span: number): void {
  for (let start = from; start < to; start += 2 * span) {
    for (let k = start; k < start + span; k++) {
      const a = values[k]!;
      const b = values[k + span]!;
      values[k] = a + b;
      values[k + span] = a - b;
    }
  }
}

function cosineTransform(values: Float32Array, from: number, to: number, span: number, cosines: Float64Array): void {
  const factor = Math.sqrt(cosines.length);
  const mixed = new Float64Array(factor);
  for (let start = from; start < to; start += factor * span) {
    for (let at = start; at < start + span; at++) {
      for (let row = 0; row < factor; row++) {
        let sum = 0;
        for (let k = 0; k < factor; k++) sum += cosines[row * factor + k]! * values[at + k * span]!;
        mixed[row] = sum;
      }
      for (let k = 0; k < factor; k++) values[at + k * span] = mixed[k]!;
    }
  }
}

/** The orthonormal cosine transform of type II over a prime factor of a length. */
function cosineMatrix(factor: number): { factor: number; cosines: Float64Array } {
  const cosines = Float64Array.from({ length: factor * factor }, (_, at) => {
    const [row, column] = [Math.floor(at / factor), at % factor];
    return Math.sqrt((row === 0 ? 1 : 2) / factor) * Math.cos((Math.PI * (column + 0.5) * row) / factor);
  });
  return { factor, cosines };
}
