/** The rows 0 … rows - 1. */
export function ascendingRows(rows: number): Int32Array {
  const order = new Int32Array(rows);
  for (let row = 0; row < rows; row++) order[row] = row;
  return order;
}

/** At most `most` of the items, at even distances; all of them where they are no more. */
export function evenly<T>(items: readonly T[], most: number): T[] {
  const stride = Math.max(1, items.length / most);
  return Array.from({ length: Math.floor(items.length / stride) }, (_, i) => items[Math.floor(i * stride)]!);
}

/** The values of some rows, in their order: a loop, since `from` with a function asks an iterator for each of millions of rows. */
export function takeNumbers(values: Float64Array, rows: ArrayLike<number>): Float64Array {
  const out = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) out[i] = values[rows[i]!]!;
  return out;
}
