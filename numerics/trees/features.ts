/** What trees are grown from: columns of numbers and of category codes, of equal length. */

/** Numbers; NaN (and any other value that is not finite) is a missing cell. */
export interface NumericFeature {
  kind: 'numeric';
  values: Float64Array;
}

/** Codes 0 … levels-1; any other code (-1, or a level that the fit never saw) is a missing cell. */
export interface CategoryFeature {
  kind: 'category';
  codes: Int32Array;
  levels: number;
}

export type Feature = NumericFeature | CategoryFeature;

export interface FeatureTable {
  rows: number;
  features: readonly Feature[];
}

/** Throws RangeError where a column's length is not the table's. */
export function requireEqualLengths(table: FeatureTable): void {
  for (const [index, feature] of table.features.entries()) {
    const length = feature.kind === 'numeric' ? feature.values.length : feature.codes.length;
    if (length !== table.rows) throw new RangeError(`feature ${index} has ${length} rows, the table ${table.rows}`);
  }
}
