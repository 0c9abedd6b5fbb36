import type { ModelTable, TextColumn } from '../model.ts';

/** The named column of text. Throws RangeError where the table has none of this name and kind. */
export function textColumn(table: ModelTable, name: string): TextColumn {
  const column = table.columns.get(name);
  if (column?.kind !== 'text') throw new RangeError(`no text column ${JSON.stringify(name)}`);
  return column;
}
