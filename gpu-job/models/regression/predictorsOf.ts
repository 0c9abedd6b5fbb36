/** Columns of a table as predictors; text says nothing to a regression. */
import type { Predictor } from '../../../numerics/regression/design/predictors.ts';
import type { ModelTable } from '../model.ts';

/** The rows `from` … `to` - 1, without a copy. Throws RangeError where a column is not there. */
export function predictorsBetween(table: ModelTable, names: readonly string[], from: number, to: number): Predictor[] {
  return names.flatMap((name): Predictor[] => {
    const column = table.columns.get(name);
    if (!column) throw new RangeError(`no column ${JSON.stringify(name)}`);
    if (column.kind === 'numeric') return [{ kind: 'numeric', name, values: column.values.subarray(from, to) }];
    if (column.kind === 'text') return [];
    return [{ kind: 'category', name, codes: column.codes.subarray(from, to), levels: column.levels }];
  });
}

/** The given rows. */
export function predictorsAt(table: ModelTable, names: readonly string[], rows: Int32Array): Predictor[] {
  return predictorsBetween(table, names, 0, table.rows).map((predictor) =>
    predictor.kind === 'numeric'
      ? { ...predictor, values: Float64Array.from(rows, (row) => predictor.values[row]!) }
      : { ...predictor, codes: Int32Array.from(rows, (row) => predictor.codes[row]!) },
  );
}
