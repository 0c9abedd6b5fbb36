/** Stacks tables with equal columns. */
import type { CategoryColumn, ModelColumn, ModelTable } from '../models/model.ts';

/** Throws RangeError without tables, or if one lacks a column of the first. */
export function concatRows(tables: readonly ModelTable[]): ModelTable {
  const [first] = tables;
  if (!first) throw new RangeError('no tables to put together');
  if (tables.length === 1) return first;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const columns = new Map<string, ModelColumn>();
  for (const [name, { kind }] of first.columns) {
    const parts = tables.map((table) => {
      const column = table.columns.get(name);
      if (column?.kind !== kind) throw new RangeError(`a table without the ${kind} column ${JSON.stringify(name)}`);
      return column;
    });
    columns.set(name, concatColumns(parts, rows));
  }
  return { rows, columns };
}

function concatColumns(parts: readonly ModelColumn[], rows: number): ModelColumn {
  const first = parts[0]!;
  if (first.kind === 'text') {
    return { ...first, values: parts.flatMap((part) => (part.kind === 'text' ? part.values : [])) };
  }
  if (first.kind === 'numeric') {
    const values = new Float64Array(rows);
    let at = 0;
    for (const part of parts) {
      if (part.kind !== 'numeric') continue;
      values.set(part.values, at);
      at += part.values.length;
    }
    return { ...first, values };
  }
  return concatCategories(
    parts.filter((part) => part.kind === 'category'),
    rows,
  );
}

function concatCategories(parts: readonly CategoryColumn[], rows: number): CategoryColumn {
  const first = parts[0]!;
  const levels = [...first.levels];
  const known = new Map(levels.map((level, code) => [level, code]));
  const codes = new Int32Array(rows);
  let at = 0;
  for (const part of parts) {
    const place = part.levels.map((level) => {
      const code = known.get(level) ?? levels.push(level) - 1;
      known.set(level, code);
      return code;
    });
    codes.set(
      part.codes.map((code) => place[code] ?? -1),
      at,
    );
    at += part.codes.length;
  }
  return { ...first, levels, codes };
}
