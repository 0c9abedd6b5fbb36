import { tally } from '../../numerics/tally.ts';
import type { Feature, FeatureTable } from '../../numerics/trees/features.ts';
import type { CategoryColumn, ModelColumn, ModelTable, NumericColumn } from '../models/model.ts';

export interface MeasureRoles {
  target: string | null;
  continuous: string[];
  categorical: string[];
  text: string[];
}

export interface MeasuredColumns {
  numeric: string[];
  categorical: string[];
  text: string[];
}

export function measuredColumns(roles: MeasureRoles, table: ModelTable): MeasuredColumns {
  const names = [
    ...(roles.target === null ? [] : [roles.target]),
    ...roles.continuous,
    ...roles.categorical,
    ...roles.text,
  ];
  const ofKind = (kind: ModelColumn['kind']) => names.filter((name) => columnNamed(table, name).kind === kind);
  return { numeric: ofKind('numeric'), categorical: ofKind('category'), text: ofKind('text') };
}

function columnNamed(table: ModelTable, name: string): ModelColumn {
  const column = table.columns.get(name);
  if (!column) throw new RangeError(`the table to be measured has no column ${JSON.stringify(name)}`);
  return column;
}

export function numericNamed(table: ModelTable, name: string): NumericColumn {
  const column = columnNamed(table, name);
  if (column.kind === 'numeric') return column;
  throw new RangeError(`column ${JSON.stringify(name)} is ${column.kind} in one table and numeric in another`);
}

export function categoryNamed(table: ModelTable, name: string): CategoryColumn {
  const column = columnNamed(table, name);
  if (column.kind === 'category') return column;
  throw new RangeError(`column ${JSON.stringify(name)} is ${column.kind} in one table and category in another`);
}

/** Descending by count, ties in order. */
export function levelsByCount({ codes, levels }: Pick<CategoryColumn, 'codes' | 'levels'>): string[] {
  const counts = tally(codes.filter((code) => code >= 0));
  return [...counts].sort(([a, m], [b, n]) => n - m || a - b).map(([code]) => levels[code]!);
}

export function textNamed(table: ModelTable, name: string): (string | null)[] {
  const column = columnNamed(table, name);
  if (column.kind === 'text') return column.values;
  throw new RangeError(`column ${JSON.stringify(name)} is ${column.kind} in one table and text in another`);
}

export const present = (values: Float64Array): Float64Array => values.filter(Number.isFinite);

/** Codes under a joint dictionary; -1 is missing. */
export function jointCodes(columns: readonly CategoryColumn[]): { codes: Int32Array[]; levels: number } {
  const dictionary = new Map<string, number>();
  const codes = columns.map((column) => {
    const joint = column.levels.map((level) => {
      const code = dictionary.get(level) ?? dictionary.size;
      dictionary.set(level, code);
      return code;
    });
    return column.codes.map((code) => joint[code] ?? -1);
  });
  return { codes, levels: dictionary.size };
}

// Tables as trees read them.

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
