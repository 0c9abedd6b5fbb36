/** Tables as trees read them. */
import type { Feature, FeatureTable } from '../../numerics/trees/features.ts';
import type { ModelTable } from '../models/model.ts';
import { categoryNamed, jointCodes, numericNamed } from './columns.ts';

/** The named columns of several tables, categories under one dictionary. */
export function featureTables(
  tables: readonly ModelTable[],
  names: { numeric: readonly string[]; categorical: readonly string[] },
): FeatureTable[] {
  const numeric = names.numeric.map((name) =>
    tables.map((table): Feature => ({ kind: 'numeric', values: numericNamed(table, name).values })),
  );
  const categorical = names.categorical.map((name) => {
    const { codes, levels } = jointCodes(tables.map((table) => categoryNamed(table, name)));
    return codes.map((own): Feature => ({ kind: 'category', codes: own, levels }));
  });
  const columns = [...numeric, ...categorical];
  return tables.map((table, at) => ({ rows: table.rows, features: columns.map((column) => column[at]!) }));
}

/** Some rows of a feature table. */
export function takeFeatures({ features }: FeatureTable, rows: Int32Array): FeatureTable {
  const taken = features.map((feature): Feature => {
    if (feature.kind === 'category') return { ...feature, codes: rows.map((row) => feature.codes[row]!) };
    return { kind: 'numeric', values: Float64Array.from(rows, (row) => feature.values[row]!) };
  });
  return { rows: rows.length, features: taken };
}

/** One table under the other. */
export function joinFeatures(a: FeatureTable, b: FeatureTable): FeatureTable {
  const joined = a.features.map((feature, at): Feature => {
    const other = b.features[at]!;
    if (feature.kind === 'category' && other.kind === 'category') {
      return { ...feature, codes: joinInts(feature.codes, other.codes) };
    }
    if (feature.kind !== 'numeric' || other.kind !== 'numeric') throw new RangeError('columns are of different kinds');
    const values = new Float64Array(a.rows + b.rows);
    values.set(feature.values);
    values.set(other.values, a.rows);
    return { kind: 'numeric', values };
  });
  return { rows: a.rows + b.rows, features: joined };
}

function joinInts(a: Int32Array, b: Int32Array): Int32Array {
  const out = new Int32Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}
