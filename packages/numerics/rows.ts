/** The rows 0 … rows - 1. */
export function ascendingRows(rows: number): Int32Array {
  const order = new Int32Array(rows);
  for (let row = 0; row < rows; row++) order[row] = row;
  return order;
}
