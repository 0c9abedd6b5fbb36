/** The response of the learning rows at mean 0 and standard deviation 1; all zero where it is constant. */
export function standardisedResponse(values: Float64Array, rows: Int32Array): Float64Array {
  const at = values.findIndex((value) => !Number.isFinite(value));
  if (at >= 0) throw new RangeError(`the response of row ${at} is ${values[at]}, not a finite number`);
  const out = Float64Array.from(rows, (row) => values[row]!);
  // Over the largest first: squares of 1e300 are no numbers.
  const largest = out.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0) return out;
  let sum = 0;
  for (let i = 0; i < out.length; i++) {
    out[i]! /= largest;
    sum += out[i]!;
  }
  const mean = sum / out.length;
  let squares = 0;
  for (const value of out) squares += (value - mean) ** 2;
  const sd = Math.sqrt(squares / out.length);
  return sd > 1e-12 * Math.abs(mean) ? out.map((value) => (value - mean) / sd) : out.fill(0);
}
