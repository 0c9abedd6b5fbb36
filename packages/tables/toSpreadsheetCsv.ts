/** Prefixes an apostrophe to cells that a spreadsheet program would run as formulas. */
import Papa from 'papaparse';
import { type OutputFormat, recordBatches } from './records.ts';

export const spreadsheetCsv: OutputFormat = {
  title: 'CSV for spreadsheets',
  contentType: 'text/csv; charset=utf-8',
  cells: 'as csv, with an apostrophe before each text that a spreadsheet program would take for a formula',
  typed: false,
  convert: toSpreadsheetCsv,
};

export async function* toSpreadsheetCsv(csv: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const rows of recordBatches(csv)) {
    if (rows.length > 0)
      yield encoder.encode(
        `${Papa.unparse(
          rows.map((cells) => cells.map(safe)),
          { newline: '\n' },
        )}\n`,
      );
  }
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

const safe = (cell: string): string => (/^[=+\-@\t\r]/.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell);
