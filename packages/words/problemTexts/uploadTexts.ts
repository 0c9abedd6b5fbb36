import { encodingName } from '../files.ts';
import { foreignText } from '../foreignFormats.ts';
import { bytes } from '../format.ts';
import type { Say, Texts } from '../say.ts';
import { counted, quoted, withCommas } from '../wording.ts';

const HOW_TO_UPLOAD =
  'Send multipart/form-data with the table in a part named "file", as curl -F file=@table.csv does.';

const smaller = (say: Say): string => `Save the sheet as CSV ${say.andUse('that')}, or use fewer rows or columns.`;

const howToRead = (probably: string | null, say: Say): string =>
  probably === null
    ? `Save it as CSV in UTF-8 ${say.andUse('that')}.`
    : `It is probably ${encodingName(probably)}. ${say.readAs(probably)}, or save it as CSV in UTF-8 ${say.andUse('that')}.`;

const inLine = (line: number): string => `The row that begins in line ${withCommas(line)}`;

export const UPLOAD_TEXTS = {
  upload_body_missing: () => `The request has no body. ${HOW_TO_UPLOAD}`,
  upload_not_multipart: ({ content_type }) => `The Content-Type is ${content_type ?? 'missing'}. ${HOW_TO_UPLOAD}`,
  upload_without_parts: () => `The body has no part. ${HOW_TO_UPLOAD}`,
  upload_part_without_name: () => `The part "file" has no file name, so it is not a file. ${HOW_TO_UPLOAD}`,
  upload_without_file: ({ parts }) => `The body has no file, only ${parts.join(', ')}. ${HOW_TO_UPLOAD}`,
  upload_file_not_chosen: () => `The part "file" has an empty file name: no file was chosen. ${HOW_TO_UPLOAD}`,
  upload_file_in_other_part: ({ part }) => `The file came in a part named ${part}. ${HOW_TO_UPLOAD}`,
  multipart_malformed: () =>
    'The multipart body is not well formed: it has no boundary, or ends before the closing one. Upload again, and let your HTTP library write the Content-Type header.',
  several_files: () => `The request has more than one file; send one table per request. ${HOW_TO_UPLOAD}`,
  file_too_large: ({ max_bytes }, say) =>
    `The file is larger than ${bytes(max_bytes)}, the limit. ${say.give} fewer rows or columns.`,
  upload_erased: ({ job_id, hours }, say) =>
    `The upload${say.ofJob(job_id)} has been erased: uploads are kept for ${counted(hours, 'hour')}. ${say.newJob}.`,

  file_extension_unknown: ({ file_name, extension, known }) =>
    `Unsupported file type: ${quoted(file_name)} ${extension === null ? 'has no extension' : `ends in ${quoted(extension)}`}. Files that can be read end in ${known.join(', ')}. Save the table as CSV or Excel, or rename a delimited text file to .csv.`,
  file_format_foreign: ({ format }, say) => foreignText(format, say),
  file_has_no_bytes: (_, say) =>
    `The file has 0 bytes. ${say.give} a file with a header line and at least one data row.`,
  file_is_blank: (_, say) => `The file has only blank lines. ${say.give} a file with a header line and data rows.`,
  file_has_no_rows: ({ columns }, say) =>
    columns === 0
      ? `The table is empty. ${say.give} a table with at least one column and one row.`
      : `The file has a header of ${counted(columns, 'column')} and no rows below it. ${say.give} a file with at least one data row.`,
  workbook_has_no_cells: ({ sheets }, say) =>
    `The workbook has no cells in ${counted(sheets, 'sheet')}. ${say.give} a workbook with a header row and data rows.`,
  sheet_has_no_rows: ({ sheet, columns }, say) =>
    `Sheet ${quoted(sheet)} has a header of ${counted(columns, 'column')} and no rows below it. ${say.give} a workbook with at least one data row.`,
  bytes_not_decodable: ({ encoding, byte, offset, line, probably }, say) =>
    `The file is not valid ${encoding}: byte ${byte} at byte offset ${offset}, in line ${withCommas(line)}, does not decode. ${howToRead(probably, say)}`,
  nul_between_characters: ({ offset, line, probably }, say) =>
    `The file has NUL bytes between its characters, the first at byte offset ${offset}, in line ${withCommas(line)}. ${howToRead(probably, say)}`,
  nul_byte: ({ offset, line }, say) =>
    `The file has a NUL byte at byte offset ${offset}, in line ${withCommas(line)}: it is damaged or not a text file. Export the table again as CSV ${say.andUse('that')}.`,
  quote_not_closed: ({ line }) =>
    `${inLine(line)} has a quoted cell that is not closed before the file ends. Close the quote, or double it ("") where it belongs to the cell's text.`,
  text_after_quote: ({ line }) =>
    `${inLine(line)} has a closing quote that is followed by more text. Double the quotes that belong to a cell's text ("").`,
  row_too_long: ({ line, max }) =>
    `${inLine(line)} has more than ${withCommas(max)} characters: probably a quote is opened there and never closed. Close it, or double it ("") where it belongs to the cell's text.`,
  row_too_wide: ({ line, cells, columns }) =>
    `${inLine(line)} has ${counted(cells, 'cell')}; the header has ${counted(columns, 'column')}. Put cells that contain the delimiter in double quotes, or correct the row.`,
  too_many_columns: ({ columns, max }, say) =>
    `The header has ${withCommas(columns)} columns; at most ${withCommas(max)} can be read. ${say.give} fewer columns, or check that line breaks separate the rows.`,
  workbook_too_many_parts: ({ parts, max }, say) =>
    `The workbook is an archive of ${withCommas(parts)} parts; at most ${withCommas(max)} can be read. ${smaller(say)}`,
  workbook_unpacks_too_large: ({ max_mb }, say) =>
    `The workbook unpacks to more than ${max_mb} MB, the limit. ${smaller(say)}`,
  workbook_packed_too_tightly: ({ part, ratio, max }, say) =>
    `A part of the workbook (${quoted(part)}) unpacks to ${counted(ratio, 'time')} its size, which no real table does; the limit is ${withCommas(max)} times. ${smaller(say)}`,
  workbook_too_many_rows: ({ rows, max }, say) =>
    `A sheet of the workbook has ${counted(rows, 'row')}; at most ${withCommas(max)} can be read. ${smaller(say)}`,
  workbook_too_many_cells: ({ cells, max }, say) =>
    `A sheet of the workbook has ${counted(cells, 'cell')}; at most ${withCommas(max)} can be read. ${smaller(say)}`,
  workbook_area_too_large: ({ rows, columns, max }, say) =>
    `The sheet has ${counted(rows, 'row')} of ${counted(columns, 'column')}; at most ${withCommas(max)} cells can be read, empty ones included. ${smaller(say)}`,
  workbook_damaged: (_, say) =>
    `The file begins like an Excel workbook but cannot be read as one: it is damaged or incomplete. Open it in a spreadsheet program, save it again as .xlsx or CSV ${say.andUse('that')}.`,
  workbook_encrypted: (_, say) => `The workbook is protected by a password. Save it without one and ${say.giveAgain}.`,
  reading_out_of_memory: ({ max_mb }, say) =>
    `Reading the file takes more than ${max_mb} MB of memory. Save a spreadsheet as CSV, or ${say.give.toLowerCase()} fewer rows or columns.`,
  reading_out_of_time: ({ seconds }, say) =>
    `The file could not be read within ${seconds} seconds. Save a spreadsheet as CSV, or ${say.give.toLowerCase()} fewer rows or columns.`,
} satisfies Partial<Texts>;
