/** A CSV file as JSON Lines: an object a row, every cell as the text that it is. */
import Papa from 'papaparse';
import { cutRecords } from './cutRecords.ts';

/** Of a file as the service writes it: UTF-8, a header line, commas. Holds no more than a piece of it at a time. */
export async function* toJsonLines(csv: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = '';
  let columns: readonly string[] | undefined;
  for await (const bytes of csv) {
    const { records, rest: behind } = cutRecords(rest + decoder.decode(bytes, { stream: true }));
    rest = behind;
    if (records.length === 0) continue;
    const rows = parse(records.join(''));
    columns ??= rows.shift() ?? [];
    if (rows.length > 0) yield encoder.encode(linesOf(columns, rows));
  }
  if (rest !== '' && columns) yield encoder.encode(linesOf(columns, parse(rest)));
}

/** Without the last line end, behind which a parser would see one row more. */
const parse = (text: string): string[][] => Papa.parse<string[]>(text.replace(/\n$/, ''), { delimiter: ',' }).data;

/** `Object.fromEntries` makes own properties of any name: a column may be called `__proto__`. */
const linesOf = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  rows
    .map((cells) => `${JSON.stringify(Object.fromEntries(columns.map((name, j) => [name, cells[j] ?? ''])))}\n`)
    .join('');
