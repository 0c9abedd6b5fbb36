/** Pseudo-observations of a shared table's numeric columns: what copulas are fitted to. */
import { createStream } from '../../packages/numerics/random/createStream.ts';
import { readSharedTable } from './sharedTables.ts';

/** Mean ranks over n + 1 of target and continuous columns, for `rows` random rows without missing cells, or all there are. */
export function rankColumns(folder: string, name: string, rows: number): Float64Array[] {
  const { table, roles } = readSharedTable(folder, name);
  const names = [...(roles.target === null ? [] : [roles.target]), ...roles.continuous];
  const values = names.map((column) => {
    const found = table.columns.get(column);
    if (found?.kind !== 'numeric') throw new Error(`${column} is not numeric`);
    return found.values;
  });
  const whole = Array.from({ length: table.rows }, (_, row) => row).filter((row) =>
    values.every((column) => Number.isFinite(column[row])),
  );
  const random = createStream(1, 'bench/rankColumns');
  const keyed = whole.map((row) => [random.uniform(), row] as const).sort((a, b) => a[0] - b[0]);
  return values.map((column) => meanRanks(Float64Array.from(keyed.slice(0, rows), ([, row]) => column[row]!)));
}

function meanRanks(values: Float64Array): Float64Array {
  const n = values.length;
  const order = Array.from(values.keys()).sort((a, b) => values[a]! - values[b]!);
  const result = new Float64Array(n);
  for (let start = 0; start < n; ) {
    let end = start + 1;
    while (end < n && values[order[end]!] === values[order[start]!]) end++;
    for (let k = start; k < end; k++) result[order[k]!] = (start + end + 1) / 2 / (n + 1);
    start = end;
  }
  return result;
}
