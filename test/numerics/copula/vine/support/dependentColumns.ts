import { createStream } from '../../../../../packages/numerics/random/createStream.ts';

/** Mean ranks over n + 1 of `values`. */
function ranks(values: Float64Array): Float64Array {
  const n = values.length;
  const order = Array.from(values.keys()).sort((a, b) => values[a]! - values[b]!);
  const out = new Float64Array(n);
  for (let start = 0; start < n; ) {
    let end = start + 1;
    while (end < n && values[order[end]!] === values[order[start]!]) end++;
    for (let k = start; k < end; k++) out[order[k]!] = (start + end + 1) / 2 / (n + 1);
    start = end;
  }
  return out;
}

/** Ranks of columns that hang together, some of them bent: each is a mixture of noise and of the two before it. */
export function dependentColumns(columns: number, n: number, seed: number): Float64Array[] {
  const random = createStream(seed, 'dependentColumns');
  const values: Float64Array[] = [];
  for (let k = 0; k < columns; k++) {
    const column = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      const [a, b] = [values[k - 1]?.[i] ?? 0, values[k - 2]?.[i] ?? 0];
      column[i] = 0.7 * (k % 3 === 1 ? a * a : a) - 0.4 * b + random.normal();
    }
    values.push(column);
  }
  return values.map(ranks);
}
