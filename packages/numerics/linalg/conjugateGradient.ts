import { dot } from './dense.ts';

/**
 * Solves A x = b by conjugate gradients (Hestenes and Stiefel 1952) for symmetric positive definite A. `apply` writes A
 * v into its second argument. Stops at the relative residual `tolerance` or after `most` rounds.
 */
export function conjugateGradient(
  apply: (v: Float64Array, into: Float64Array) => void,
  b: Float64Array,
  { most, tolerance }: { most: number; tolerance: number },
): Float64Array {
  const x = new Float64Array(b.length);
  const residual = b.slice();
  const direction = b.slice();
  const applied = new Float64Array(b.length);
  let square = dot(residual, residual);
  const enough = square * tolerance * tolerance;
  for (let round = 0; round < most && square > enough; round++) {
    apply(direction, applied);
    const step = square / dot(direction, applied);
    for (let k = 0; k < x.length; k++) {
      x[k]! += step * direction[k]!;
      residual[k]! -= step * applied[k]!;
    }
    const next = dot(residual, residual);
    const keep = next / square;
    for (let k = 0; k < x.length; k++) direction[k] = residual[k]! + keep * direction[k]!;
    square = next;
  }
  return x;
}
