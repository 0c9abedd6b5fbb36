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

/** Output formats besides CSV. */
export type OutputFormatName = keyof typeof OUTPUT_FORMATS;

export const OUTPUT_FORMAT_NAMES: readonly OutputFormatName[] = Object.keys(OUTPUT_FORMATS).filter(
  (name): name is OutputFormatName => name in OUTPUT_FORMATS,
);

export const CONVERSIONS = { ...OUTPUT_FORMATS, 'safe.csv': spreadsheetCsv } as const;
/** Output formats and `safe.csv`. */
export type ConversionName = keyof typeof CONVERSIONS;
export const CONVERSION_NAMES: readonly ConversionName[] = [...OUTPUT_FORMAT_NAMES, 'safe.csv'];
