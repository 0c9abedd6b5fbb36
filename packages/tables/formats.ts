/** Every format that a result is given as besides CSV, by its name, which is the ending of its file. A new one is a line here. */
import type { OutputFormat } from './records.ts';
import { jsonLines } from './toJsonLines.ts';
import { parquet } from './toParquet.ts';
import { spreadsheetCsv } from './toSpreadsheetCsv.ts';
import { workbook } from './toWorkbook.ts';

export const OUTPUT_FORMATS = {
  xlsx: workbook,
  parquet,
  jsonl: jsonLines,
} as const satisfies Record<string, OutputFormat>;

/** Formats of a synthetic table beside CSV. */
export type OutputFormatName = keyof typeof OUTPUT_FORMATS;

export const OUTPUT_FORMAT_NAMES: readonly OutputFormatName[] = Object.keys(OUTPUT_FORMATS).filter(
  (name): name is OutputFormatName => name in OUTPUT_FORMATS,
);

/** All that a result is converted to, by the ending of the file: each format, and a CSV file without formulas. */
export const CONVERSIONS = { ...OUTPUT_FORMATS, 'safe.csv': spreadsheetCsv } as const;
/** Names of what a result is converted to: the formats beside CSV, and `safe.csv` for spreadsheet programs. */
export type ConversionName = keyof typeof CONVERSIONS;
export const CONVERSION_NAMES: readonly ConversionName[] = [...OUTPUT_FORMAT_NAMES, 'safe.csv'];
