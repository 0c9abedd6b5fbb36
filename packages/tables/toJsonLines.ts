/** A CSV file as JSON Lines: an object a row, every cell as the text that it is. */
import { type OutputFormat, recordBatches } from './records.ts';

export const jsonLines: OutputFormat = {
  title: 'JSON Lines',
  contentType: 'application/jsonl; charset=utf-8',
  cells: 'one JSON object per row, on a line of its own; every cell is the text of the CSV file',
  typed: false,
  convert: toJsonLines,
};

/** Converts a file as the service writes it. Holds no more than a piece of it at a time. */
export async function* toJsonLines(csv: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let columns: readonly string[] | undefined;
  for await (const rows of recordBatches(csv)) {
    columns ??= rows.shift() ?? [];
    if (rows.length > 0) yield encoder.encode(linesOf(columns, rows));
  }
}

/** `Object.fromEntries` makes own properties of any name: a column may be called `__proto__`. */
const linesOf = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  rows
    .map((cells) => `${JSON.stringify(Object.fromEntries(columns.map((name, j) => [name, cells[j] ?? ''])))}\n`)
    .join('');
