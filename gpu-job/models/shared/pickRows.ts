/** Rows of a table of features, and a choice of them. */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { Feature, FeatureTable } from '../../../numerics/trees/features.ts';

export function pickRows(table: FeatureTable, rows: Int32Array): FeatureTable {
  const features = table.features.map(
    (feature): Feature =>
      feature.kind === 'numeric'
        ? { kind: 'numeric', values: Float64Array.from(rows, (row) => feature.values[row]!) }
        : { ...feature, codes: Int32Array.from(rows, (row) => feature.codes[row]!) },
  );
  return { rows: rows.length, features };
}

/** At most `most` of the rows 0 … count - 1, in random order. */
export function drawRows(count: number, most: number, random: RandomStream): Int32Array {
  const rows = Int32Array.from({ length: count }, (_, row) => row);
  const size = Math.min(count, most);
  for (let i = 0; i < size; i++) {
    const j = i + random.integer(count - i);
    [rows[i], rows[j]] = [rows[j]!, rows[i]!];
  }
  return rows.slice(0, size);
}
