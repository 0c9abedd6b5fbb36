/** Affine coordinates x = mode + L⁻ᵀ z; z is standard normal for a normal target. */
import type { LogDensity } from './hamiltonian.ts';

export interface Whitening {
  /** Mode (d). */
  mode: Float64Array;
  /** Lower triangular L with L Lᵀ the negative Hessian at the mode; d × d, row-major. */
  factor: Float64Array;
}

/** Log density of z, up to log |L|. */
export function whiten(density: LogDensity, { mode, factor }: Whitening): LogDensity {
  const { dimension } = density;
  const x = new Float64Array(dimension);
  return {
    dimension,
    evaluate(z, gradient) {
      fromWhite({ mode, factor }, z, x);
      const value = density.evaluate(x, gradient);
      solveLowerInPlace(factor, dimension, gradient);
      return value;
    },
  };
}

export function fromWhite({ mode, factor }: Whitening, z: Float64Array, x: Float64Array): void {
  const dimension = mode.length;
  x.set(z);
  solveLowerTransposedInPlace(factor, dimension, x);
  for (let i = 0; i < dimension; i++) x[i]! += mode[i]!;
}

// In-place solves for the innermost loop, without allocation. L: n × n, row-major.

/** Solves L x = b in place. */
export function solveLowerInPlace(l: Float64Array, n: number, b: Float64Array): void {
  const blocked = n - (n % 4);
  for (let i = 0; i < blocked; i += 4) {
    const r0 = i * n;
    const r1 = r0 + n;
    const r2 = r1 + n;
    const r3 = r2 + n;
    let s0 = b[i]!;
    let s1 = b[i + 1]!;
    let s2 = b[i + 2]!;
    let s3 = b[i + 3]!;
    for (let k = 0; k < i; k++) {
      const x = b[k]!;
      s0 -= l[r0 + k]! * x;
      s1 -= l[r1 + k]! * x;
      s2 -= l[r2 + k]! * x;
      s3 -= l[r3 + k]! * x;
    }
    s0 /= l[r0 + i]!;
    s1 = (s1 - l[r1 + i]! * s0) / l[r1 + i + 1]!;
    s2 = (s2 - l[r2 + i]! * s0 - l[r2 + i + 1]! * s1) / l[r2 + i + 2]!;
    s3 = (s3 - l[r3 + i]! * s0 - l[r3 + i + 1]! * s1 - l[r3 + i + 2]! * s2) / l[r3 + i + 3]!;
    b[i] = s0;
    b[i + 1] = s1;
    b[i + 2] = s2;
    b[i + 3] = s3;
  }
  for (let i = blocked; i < n; i++) {
    let sum = b[i]!;
    for (let k = 0; k < i; k++) sum -= l[i * n + k]! * b[k]!;
    b[i] = sum / l[i * n + i]!;
  }
}

/** Solves Lᵀ x = b in place. */
export function solveLowerTransposedInPlace(l: Float64Array, n: number, b: Float64Array): void {
  const blocked = n - (n % 4);
  for (let i = n - 1; i >= blocked; i--) {
    const x = b[i]! / l[i * n + i]!;
    b[i] = x;
    for (let k = 0; k < i; k++) b[k]! -= l[i * n + k]! * x;
  }
  for (let i = blocked - 4; i >= 0; i -= 4) {
    const r0 = i * n;
    const r1 = r0 + n;
    const r2 = r1 + n;
    const r3 = r2 + n;
    const x3 = b[i + 3]! / l[r3 + i + 3]!;
    const x2 = (b[i + 2]! - l[r3 + i + 2]! * x3) / l[r2 + i + 2]!;
    const x1 = (b[i + 1]! - l[r3 + i + 1]! * x3 - l[r2 + i + 1]! * x2) / l[r1 + i + 1]!;
    const x0 = (b[i]! - l[r3 + i]! * x3 - l[r2 + i]! * x2 - l[r1 + i]! * x1) / l[r0 + i]!;
    b[i] = x0;
    b[i + 1] = x1;
    b[i + 2] = x2;
    b[i + 3] = x3;
    for (let k = 0; k < i; k++) {
      b[k]! -= l[r0 + k]! * x0 + l[r1 + k]! * x1 + l[r2 + k]! * x2 + l[r3 + k]! * x3;
    }
  }
}
