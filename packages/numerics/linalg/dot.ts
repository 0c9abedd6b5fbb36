/** Σ aᵢ bᵢ over the first `size` entries, added one after the other from the first. */
export function dot(a: Float64Array, b: Float64Array, size = a.length): number {
  let sum = 0;
  for (let i = 0; i < size; i++) sum += a[i]! * b[i]!;
  return sum;
}
