/** Figures of a sample of numbers that tell families of distributions apart. */

export interface Moments {
  count: number;
  mean: number;
  /** With divisor n. */
  variance: number;
  /** Third standardised moment; 0 where all are equal. */
  skewness: number;
}

export function momentsOf(values: readonly number[]): Moments {
  const count = values.length;
  if (count === 0) return { count, mean: Number.NaN, variance: Number.NaN, skewness: 0 };
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  let second = 0;
  let third = 0;
  for (const value of values) {
    const delta = value - mean;
    second += delta * delta;
    third += delta * delta * delta;
  }
  const variance = second / count;
  return { count, mean, variance, skewness: variance > 0 ? third / count / variance ** 1.5 : 0 };
}

export function medianOf(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
}

export const shareWhere = (values: readonly number[], holds: (value: number) => boolean): number =>
  values.length > 0 ? values.filter(holds).length / values.length : 0;
