/** Converts CSV to JSON Lines: one object per row, every cell as text. */
import { type OutputFormat, recordBatches } from './records.ts';

export const jsonLines: OutputFormat = {
  title: 'JSON Lines',
  contentType: 'application/jsonl; charset=utf-8',
  cells: 'one JSON object per row, on a line of its own; every cell is the text of the CSV file',
  typed: false,
  convert: toJsonLines,
};

export async function* toJsonLines(csv: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let columns: readonly string[] | undefined;
  for await (const rows of recordBatches(csv)) {
    columns ??= rows.shift() ?? [];
    if (rows.length > 0) yield encoder.encode(linesOf(columns, rows));
  }
}

/** `Object.fromEntries` allows a column called `__proto__`. */
const linesOf = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  rows
    .map((cells) => `${JSON.stringify(Object.fromEntries(columns.map((name, j) => [name, cells[j] ?? ''])))}\n`)
    .join('');
