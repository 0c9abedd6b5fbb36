/** Moments that neither overflow nor see spread where there is none. */

/** Largest absolute value, or 1 where all are 0: what numbers are divided by so that sums of squares stay finite. */
export function magnitude(values: Float64Array): number {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, Math.abs(value));
  return largest || 1;
}

export function isConstant(values: Float64Array): boolean {
  for (let row = 1; row < values.length; row++) if (values[row] !== values[0]) return false;
  return values.length === 0 || !Number.isNaN(values[0]!);
}

/** Mean of values / scale. */
export function scaledMean(values: Float64Array, scale: number): number {
  let sum = 0;
  for (const value of values) sum += value / scale;
  return sum / values.length;
}

/** Sample standard deviation (n − 1) of values / scale; NaN below two values, exactly 0 where all are equal. */
export function scaledDeviation(values: Float64Array, scale: number): number {
  if (values.length < 2) return Number.NaN;
  if (isConstant(values)) return 0;
  const mean = scaledMean(values, scale);
  let squares = 0;
  for (const value of values) squares += (value / scale - mean) ** 2;
  return Math.sqrt(squares / (values.length - 1));
}
