export function ascendingRows(rows: number): Int32Array {
  const order = new Int32Array(rows);
  for (let row = 0; row < rows; row++) order[row] = row;
  return order;
}

/** Returns at most `most` evenly spaced items. */
export function evenly<T>(items: readonly T[], most: number): T[] {
  const stride = Math.max(1, items.length / most);
  return Array.from({ length: Math.floor(items.length / stride) }, (_, i) => items[Math.floor(i * stride)]!);
}

export const takeNumbers = (values: Float64Array, rows: ArrayLike<number>): Float64Array =>
  takeInto(new Float64Array(rows.length), values, rows);

/** A plain loop: `from` with a callback is slow for millions of rows. */
export function takeInto<Values extends Int32Array | Float64Array>(
  out: Values,
  from: Values,
  rows: ArrayLike<number>,
): Values {
  for (let i = 0; i < rows.length; i++) out[i] = from[rows[i]!]!;
  return out;
}
