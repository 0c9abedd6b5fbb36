/**
 * Encodes numbers, joint level codes, and bins: tenths of training numbers or their ten most frequent levels and the
 * rest, and one for missing cells.
 */
import type { CategoryColumn, ModelTable, NumericColumn } from '../../models/model.ts';
import { categoryNamed, jointCodes, type MeasuredColumns, numericNamed, present } from '../columns.ts';

export const BINS = 12;

const MISSING_NUMBER = 10;
const OTHER_LEVELS = 10;
const MISSING_LEVEL = 11;
const TOP = 10;

export interface EncodedNumbers {
  kind: 'numeric';
  name: string;
  /** Non-finite values are missing. */
  values: Float64Array;
  bins: Uint8Array;
}

export interface EncodedLevels {
  kind: 'category';
  name: string;
  /** -1 is missing. */
  codes: Int32Array;
  /** Over all tables. */
  levels: number;
  bins: Uint8Array;
}

export type EncodedColumn = EncodedNumbers | EncodedLevels;

export interface EncodedTable {
  rows: number;
  columns: readonly EncodedColumn[];
}

/** Uses the first table's bins. */
export function encodeTables(tables: readonly ModelTable[], columns: MeasuredColumns): EncodedTable[] {
  const numbers = columns.numeric.map((name) => encodeNumbers(tables.map((table) => numericNamed(table, name))));
  const levels = columns.categorical.map((name) => encodeLevels(tables.map((table) => categoryNamed(table, name))));
  return tables.map((table, at) => ({
    rows: table.rows,
    columns: [...numbers, ...levels].map((column) => column[at]!),
  }));
}

function encodeNumbers(columns: readonly NumericColumn[]): EncodedNumbers[] {
  const cuts = decilesOf(present(columns[0]!.values));
  return columns.map(({ name, values }) => {
    const bins = Uint8Array.from(values, (value) => (Number.isFinite(value) ? binOf(cuts, value) : MISSING_NUMBER));
    return { kind: 'numeric', name, values, bins };
  });
}

export function decilesOf(values: Float64Array): number[] {
  if (values.length === 0) return [];
  const sorted = values.toSorted();
  const cuts = Array.from({ length: 9 }, (_, i) => {
    const rank = ((i + 1) / 10) * (sorted.length - 1);
    const [below, above] = [sorted[Math.floor(rank)]!, sorted[Math.ceil(rank)]!];
    const share = rank - Math.floor(rank);
    return below === above ? below : below * (1 - share) + above * share;
  });
  return [...new Set(cuts)];
}

function binOf(cuts: readonly number[], value: number): number {
  let bin = 0;
  while (bin < cuts.length && cuts[bin]! <= value) bin++;
  return bin;
}

function encodeLevels(columns: readonly CategoryColumn[]): EncodedLevels[] {
  const { codes, levels } = jointCodes(columns);
  const counts = new Int32Array(levels);
  for (const code of codes[0]!) if (code >= 0) counts[code]!++;
  const byCount = [...counts.keys()].sort((a, b) => counts[b]! - counts[a]! || a - b);
  const bin = new Uint8Array(levels).fill(OTHER_LEVELS);
  for (const [place, code] of byCount.slice(0, TOP).entries()) bin[code] = place;
  return codes.map((own, at) => {
    const bins = Uint8Array.from(own, (code) => (code < 0 ? MISSING_LEVEL : bin[code]!));
    return { kind: 'category', name: columns[at]!.name, codes: own, levels, bins };
  });
}

export function takeEncoded({ columns }: EncodedTable, rows: Int32Array): EncodedTable {
  const pick = <Cells extends Uint8Array | Int32Array | Float64Array>(from: Cells, to: Cells): Cells => {
    for (let at = 0; at < rows.length; at++) to[at] = from[rows[at]!]!;
    return to;
  };
  const n = rows.length;
  const taken = columns.map((column): EncodedColumn => {
    const bins = pick<Uint8Array>(column.bins, new Uint8Array(n));
    if (column.kind === 'category')
      return { ...column, codes: pick<Int32Array>(column.codes, new Int32Array(n)), bins };
    return { ...column, values: pick<Float64Array>(column.values, new Float64Array(n)), bins };
  });
  return { rows: rows.length, columns: taken };
}

export function joinEncoded(a: EncodedTable, b: EncodedTable): EncodedTable {
  const joined = a.columns.map((column, at): EncodedColumn => {
    const other = b.columns[at]!;
    const bins = new Uint8Array(a.rows + b.rows);
    bins.set(column.bins);
    bins.set(other.bins, a.rows);
    if (column.kind === 'category' && other.kind === 'category') {
      const codes = new Int32Array(a.rows + b.rows);
      codes.set(column.codes);
      codes.set(other.codes, a.rows);
      return { ...column, codes, bins };
    }
    if (column.kind !== 'numeric' || other.kind !== 'numeric') throw new RangeError('columns are of different kinds');
    const values = new Float64Array(a.rows + b.rows);
    values.set(column.values);
    values.set(other.values, a.rows);
    return { ...column, values, bins };
  });
  return { rows: a.rows + b.rows, columns: joined };
}
