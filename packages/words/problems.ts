/** Refusals and failures in words: what was found, and what to do next in the way in that is read. */
import {
  type Case,
  isCase,
  type JobFailure,
  type JsonKind,
  MIN_COUNT,
  type Problem,
  RECORDED,
  type Reason,
  type ThreadWork,
} from '../contract/problems.ts';
import { SUPPORTS, violationText } from './familySupport.ts';
import { encodingName } from './files.ts';
import { foreignText } from './foreignFormats.ts';
import { bytes } from './format.ts';
import { didYouMean as meant } from './nearNames.ts';
import { breachText } from './release.ts';
import { clause, type ProblemContext, type Say, sayIn, type WayIn } from './say.ts';
import { counted, listed, quoted, withCommas, wordsFor } from './wording.ts';

/** A problem as it came; `message` is what to show where this version does not know its reason. */
export type ReceivedProblem = Omit<Problem, 'params'> & { params?: unknown; message?: string };

/** One to three sentences; the field that they are about stands before them, except on the page, which shows them beside it. */
export function problemText(problem: ReceivedProblem, way: WayIn, context: ProblemContext = {}): string {
  const { code, field, params, message } = problem;
  if (!isCase(params)) return recorded(params) ?? message ?? `The service answered with the code ${code}.`;
  const say = sayIn(way, context);
  const text = inWords(way === 'mcp' ? withoutCells(params) : params, say);
  if (field === undefined || way === 'page' || NAMES_FIELDS.has(params.reason)) return text;
  return `${say.field(field)}: ${clause(text)}`;
}

/** As an assistant is told it, whose answers leave the machine that the table may not leave: no cell of the table, no row number. */
function withoutCells(params: Case): Case {
  switch (params.reason) {
    case 'family_cannot_hold':
      return { ...params, value: null, row: null };
    case 'condition_level_unknown':
      return { ...params, near: [], levels: [] };
    case 'condition_out_of_range':
      return { ...params, low: '', high: '' };
    default:
      return params;
  }
}

/** `error` of a job that failed, as HTTP answers it. */
export const failureReply = (failure: JobFailure, context: ProblemContext): JobFailure & { message: string } => ({
  ...failure,
  message: problemText(failure, 'http', context),
});

/** What a problem says of a field: of `conditions` as a whole, whose part `conditions[0].rows` is meant. */
export interface FieldText {
  field: string;
  part: string;
  text: string;
}

/** What a problem says of each field, for a way in that shows it beside the field. */
export function fieldTexts(problem: ReceivedProblem, way: WayIn): FieldText[] {
  const { field, params } = problem;
  const of = (name: string) => /^\w*/.exec(name)?.[0] ?? name;
  if (isCase(params) && params.reason === 'fields_invalid') {
    const say = sayIn(way);
    return params.faults.map((fault) => ({
      field: of(fault.field),
      part: fault.field,
      text: faultText(say)(fault),
    }));
  }
  return field === undefined ? [] : [{ field: of(field), part: field, text: problemText(problem, way) }];
}

/** The message that a record of version 0.1 kept. */
function recorded(params: unknown): string | undefined {
  if (typeof params !== 'object' || params === null || !('reason' in params) || params.reason !== RECORDED) return;
  return 'message' in params && typeof params.message === 'string' ? params.message : undefined;
}

const inWords = <R extends Reason>(params: Case<R>, say: Say): string => TEXTS[params.reason](params, say);

/** Reasons whose words name their fields themselves. */
const NAMES_FIELDS: ReadonlySet<Reason> = new Set([
  ...(['fields_invalid', 'query_invalid', 'conditions_contradict', 'too_few_rows'] as const),
]);

const EXAMPLE_BODY = 'Send a JSON object, as in {"job_id": "…"}.';
const HOW_TO_UPLOAD =
  'Send multipart/form-data with the table in a part named "file", as curl -F file=@table.csv does.';

const JSON_KINDS: Readonly<Record<JsonKind, string>> = {
  null: 'null',
  array: 'an array',
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
};

const THREADS: Readonly<Record<ThreadWork, string>> = {
  sampling: 'sampled the regression',
  copula: 'fitted the copula of the continuous columns',
};

const smaller = (say: Say): string => `Save the sheet as CSV ${say.andUse('that')}, or use fewer rows or columns.`;
const didYouMean = (near: readonly string[]): string =>
  near.length > 0 ? ` Did you mean ${near.map(quoted).join(' or ')}?` : '';
/** In full: a path that is cut finds nothing. */
const quotedPath = (path: string): string => JSON.stringify(path);
/** What a file probably is that does not decode, and how it is read all the same. */
const howToRead = (probably: string | null, say: Say): string =>
  probably === null
    ? `Save it as CSV in UTF-8 ${say.andUse('that')}.`
    : `It is probably ${encodingName(probably)}. ${say.readAs(probably)}, or save it as CSV in UTF-8 ${say.andUse('that')}.`;

const inLine = (line: number): string => `The row that begins in line ${withCommas(line)}`;
const faultText = (say: Say) => (fault: { field: string; rule: string; found: string | null }) =>
  `${say.field(fault.field)} ${fault.rule}${fault.found === null ? '' : `; found ${fault.found}`}.`;

type Texts = { [R in Reason]: (params: Case<R>, say: Say) => string };

const TEXTS: Texts = {
  // Keys, addresses and bodies of HTTP
  api_key_missing: () => 'The request has no API key. Send it in the header X-API-Key.',
  api_key_unknown: (_, say) => `The API key is not valid or was revoked. ${say.newKey}.`,
  route_unknown: () => 'There is nothing at this address. GET /api-docs lists all calls.',
  bundle_not_offered: () => 'This service offers no bundle for desktop assistants. GET /mcp shows how to connect.',
  method_not_allowed: ({ method, allowed }) =>
    `${method} is not allowed here. This address accepts ${allowed.join(', ')}.`,
  connect_not_possible: () => 'CONNECT is not supported: this is not a proxy.',
  mcp_stream_not_offered: () =>
    'GET /mcp has no event stream: each POST /mcp has its own. Request text/html to read how to connect.',
  mcp_message_refused: ({ answer }) => `This is not a valid MCP message: ${answer}`,
  origin_not_listed: ({ origin }) =>
    `Pages of ${quoted(origin)} may not call this service. Its operator can list the origin in CORS_ORIGINS.`,
  address_malformed: () => 'The address or the Host header of the request is malformed.',
  request_malformed: () => 'The request is not well-formed HTTP/1.1.',
  request_timeout: (_, say) => `The request did not arrive in time. ${say.repeat}.`,
  headers_too_large: () =>
    'The headers are larger than 64 KB in total, or there are more than 1,000. Send fewer or shorter ones.',
  body_missing: () => 'The request has no body. Send a JSON object.',
  body_not_object: ({ found }) => `The body is ${wordsFor(JSON_KINDS, found) ?? found}. ${EXAMPLE_BODY}`,
  body_compressed: () => 'The body is compressed (Content-Encoding). Send it uncompressed.',
  body_not_utf8: () => 'The body is not UTF-8 text. Send JSON in UTF-8.',
  body_not_json: ({ position }) =>
    `The body is not valid JSON${position === null ? '' : `; the error is at character ${position}`}. ${EXAMPLE_BODY}`,
  client_gone: (_, say) => `The client closed the connection before it was answered. ${say.repeat}.`,
  body_broken_off: (_, say) => `The request ended before its body was complete. ${say.repeat}.`,
  body_too_large: ({ max_bytes }) =>
    `The body is larger than ${withCommas(max_bytes)} bytes, the limit of a JSON request.`,
  column_names_too_long: (_, say) =>
    `The column names in the request are too long in total. Leave columns out, or shorten their names in the file and ${say.giveAgain}.`,
  idempotency_key_malformed: () =>
    'Idempotency-Key must have 1 to 200 visible ASCII characters. Send a random one, such as a UUID, for each new request.',
  idempotency_key_reused: () =>
    'This Idempotency-Key was used for another request within the last 24 hours. Send this request with a new key, or repeat the first request unchanged to get its answer.',
  repeated_upload_erased: ({ job_id }) =>
    `This Idempotency-Key created job ${job_id}, whose upload has been erased since. Send the file with a new key for a new job.`,
  request_in_progress: ({ seconds }) =>
    `The first request with this Idempotency-Key is still running. Send the same request again in ${seconds} seconds for its answer.`,

  // Uploads
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

  // Files
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

  // Fields, roles and columns
  fields_invalid: ({ faults }, say) => faults.map(faultText(say)).join(' '),
  query_invalid: ({ faults }, say) =>
    `${faults.map(faultText(say)).join(' ')}${say.way === 'http' ? ' GET /api-docs lists the query parameters.' : ''}`,
  too_few_rows: ({ rows, min }, say) =>
    `The table has ${counted(rows, 'row')}: a synthetic copy of fewer than ${min} may show nearly each of them. ${say.give} a table with more rows, or use ${say.option('allow_few_rows', 'true')}; ${say.thenWithheld}.`,
  no_roles_given: (_, say) =>
    `The request names no target and no text column. Give a numeric column as ${say.field('target_col')}, or text columns as ${say.field('text_cols')}; or make a table of the other columns alone with ${say.option('target', 'none')}.`,
  target_not_given: (_, say) =>
    `${say.field('target_col')} is missing. Name the numeric column whose family you want to know.`,
  column_unknown: ({ column, available, more }) =>
    `There is no column ${quoted(column)} in the file. Available columns: ${available.join(', ')}${more > 0 ? ` and ${withCommas(more)} more` : ''}.`,
  column_given_twice: ({ column, first, second }, say) =>
    `Column ${quoted(column)} is listed ${first === second ? `twice in ${say.field(first)}` : `in ${say.field(first)} and in ${say.field(second)}`}. Give each column one role.`,
  column_empty: ({ column, rows }) =>
    `Column ${quoted(column)} is empty: all of its ${counted(rows, 'cell')} are missing. Leave it out.`,
  column_not_numeric: ({ column, numbers, cells }) =>
    `Column ${quoted(column)} is not numeric: ${withCommas(numbers)} of its ${counted(cells, 'non-empty cell')} are numbers. Choose a numeric column, or make this one categorical or text.`,
  column_of_mixed_times: ({ column }, say) =>
    `Column ${quoted(column)} has dates or times in more than one format. Write all of them in one format, such as 2024-03-20, or put the column in ${say.field('categorical_cols')}.`,
  target_is_key: ({ column }) =>
    `Column ${quoted(column)} has keys, for which new values are generated, and cannot be a target. Choose a numeric column that measures something.`,
  target_is_time: ({ column }, say) =>
    `Column ${quoted(column)} has dates or times, and a target must be a number. Choose a numeric column as the target; put this one in ${say.field('continuous_cols')} to model it as time, or in ${say.field('categorical_cols')}.`,
  target_without_numbers: ({ column, kind }) =>
    `Column ${quoted(column)} has no numbers (it was read as ${kind}) and cannot be a target. Choose a numeric column.`,
  family_cannot_hold: ({ column, family, support, instead, ...violation }, say) =>
    `The family ${family} takes ${SUPPORTS[support] ?? 'other numbers'}, but column ${quoted(column)} has ${violationText(violation)}. Choose ${say.option('family', instead)}, which can take every value of the column, or ${say.option('family', 'auto')}.`,
  callback_url_too_long: ({ max }) => `The address must have at most ${withCommas(max)} characters.`,
  callback_url_malformed: () => 'This must be an address such as https://example.org/hooks/tables.',
  callback_url_not_https: () => 'The address must begin with https://.',
  callback_url_with_password: () =>
    'The address must not contain a user name or password. Calls are signed instead: GET /callback-secret has the secret.',
  callback_url_not_public: () =>
    'The address must be on the public internet, not in a private network or on this machine.',

  // Conditions
  condition_range_of_levels: ({ column }) =>
    `Column ${quoted(column)} is categorical, so "between" is not possible. List its levels with "in".`,
  condition_number_for_level: ({ column, value }) =>
    `The levels of column ${quoted(column)} are texts. Write ${quoted(String(value))} instead of ${value}.`,
  condition_token_for_missing: ({ column, token }) =>
    `In column ${quoted(column)}, ${quoted(token)} stands for a missing value. Use null to ask for it.`,
  condition_value_not_written: ({ column, value, number_form, example }) =>
    `Column ${quoted(column)} cannot hold ${value}: ${number_form === 'whole' ? 'its numbers are whole' : `its numbers are written like ${example}`}.`,
  condition_range_empty: ({ column, low, high }) =>
    `Column ${quoted(column)} has no number between ${low} and ${high}.`,
  condition_number_for_time: ({ column, value, example }) =>
    `Column ${quoted(column)} has times, and ${value} is a number. Write times as the column does, such as ${example}.`,
  condition_value_unreadable: ({ column, value, holds, example }) =>
    `Column ${quoted(column)} has ${holds}, and ${quoted(value)} is not one. Write it like ${example}.`,
  condition_column_without_format: ({ column }) =>
    `Column ${quoted(column)} has no levels and no numbers to choose from.`,
  condition_level_unknown: ({ column, level, near, levels }) =>
    `No cell of column ${quoted(column)} is ${quoted(level)}.${levels.length > 0 && near.length === 0 ? ` Its levels are ${listed(levels.map(quoted))}.` : `${didYouMean(near)} Levels must match exactly, including case, spaces and Unicode form.`}`,
  condition_column_without_role: ({ column, near }, say) =>
    `Column ${quoted(column)} has no role in the request.${didYouMean(near)} Put it in ${say.field('categorical_cols')} or ${say.field('continuous_cols')}, or leave the condition out.`,
  conditions_contradict_on_column: ({ column }) =>
    `Two conditions on column ${quoted(column)} contradict each other. Leave one out.`,
  conditions_contradict: ({ first_field, first, second_field, second }) =>
    `${first_field} (${first}) and ${second_field} (${second}) contradict each other: no row can meet both. Give each its number of rows, or leave one out; a condition without rows holds in every row.`,
  conditions_exceed_rows: ({ rows, n_samples }, say) =>
    `The conditions ask for ${counted(rows, 'row')} in total, but the table will have ${withCommas(n_samples)}. Raise ${say.field('n_samples')} to ${rows}, or ask for fewer rows.`,
  condition_on_identifier: ({ column }) =>
    `Column ${quoted(column)} has identifiers, for which new values are generated. Leave the condition out.`,
  condition_on_text: ({ column }, say) =>
    `Column ${quoted(column)} is in ${say.field('text_cols')}; conditions are possible on the target, continuous and categorical columns. Leave the condition out.`,
  condition_nothing_missing: ({ column, rows }) =>
    `Column ${quoted(column)} has no missing cell in its ${counted(rows, 'row')}, so none can be asked for. Leave null out.`,
  condition_level_too_rare: ({ column, level, min }, say) =>
    `${quoted(level)} occurs in fewer than ${min} rows of column ${quoted(column)}, and such categories are not released. Use ${say.option('keep_rare', 'true')} to release them, or leave the condition out.`,
  condition_out_of_range: ({ column, condition, low, high }) =>
    `${condition} lies outside the range of ${quoted(column)}${low === '' ? '' : `, ${low} to ${high}`}. Values outside it are never generated. Ask for values within it.`,
  conditions_met_by_too_few: ({ conditions, min, rows }) =>
    `Fewer than ${min} of the ${counted(rows, 'row')} of the file have ${conditions}; as many are needed to generate rows like them without copying. Widen the condition, or leave it out.`,
  conditions_leave_too_few: ({ conditions }, say) =>
    `Too few rows of the file have ${conditions ?? 'categories that may be released'}. Widen the condition, leave it out, or use ${say.option('keep_rare', 'true')}.`,
  conditions_hardly_drawn: ({ conditions, rows, made, draws }) =>
    `Only ${withCommas(made)} of ${counted(rows, 'row')} with ${conditions ?? 'the conditions'} could be generated in ${counted(draws, 'draw')}. ${made > 0 ? `Ask for at most ${counted(made, 'row')}, widen` : 'Widen'} the condition, or leave it out.`,
  model_has_conditions: ({ job_id }, say) =>
    `The model${say.ofJob(job_id)} was fitted under conditions of its own and cannot take others. Leave them out, or start a new job.`,
  rows_fewer_than_parts: ({ min, found }) =>
    `Each condition of the job needs at least one row. Ask for ${counted(min, 'row')} or more; found ${found}.`,

  // Jobs
  job_id_missing: ({ found }, say) => `job_id must be the id ${say.whereJobIdIsFrom}; found ${found ?? 'nothing'}.`,
  job_unknown: ({ job_id }, say) =>
    `There is no job ${quoted(job_id)} for this API key. Use the job_id ${say.whereJobIdIsFrom}, with the key that uploaded it.`,
  source_erased_meanwhile: ({ job_id }, say) =>
    `Job ${job_id} was erased while rows were requested from it. ${say.newJob}.`,
  job_active: ({ job_id, state }, say) =>
    `The job is ${state === 'started' ? 'starting' : state}, and a job runs once. ${say.follow(job_id)}, or start a new job: ${say.upload}.`,
  job_already_done: ({ job_id }, say) =>
    `The job is done, and a job runs once. ${say.seeResult(job_id)}, or start a new job: ${say.upload}.`,
  job_being_started: ({ job_id }, say) =>
    `The job is being started by another request, and a job runs once. ${say.follow(job_id)}.`,
  job_changed: ({ job_id }, say) => `The job was changed by another request. ${say.follow(job_id)}.`,
  job_not_running: ({ job_id }) => `Job ${job_id} is not running: there is nothing to cancel.`,
  job_has_no_rows: ({ job_id, state }, say) =>
    `Job ${job_id} is ${state} and has no rows to release. ${say.follow(job_id)}.`,
  sample_has_no_upload: ({ job_id, source_id }, say) =>
    `Job ${job_id} has rows from the model of job ${source_id} and no upload of its own. ${say.sampleFrom(source_id)} for more rows.`,
  sample_has_no_model: ({ job_id, source_id }, say) =>
    `Job ${job_id} has rows from the model of job ${source_id} and no model of its own. ${say.sampleFrom(source_id)}.`,
  too_many_samples: ({ job_id, max }, say) => `Job ${job_id} has ${counted(max, 'sample')}, the limit. ${say.newJob}.`,
  slots_taken: ({ max, seconds }, say) =>
    `The service is full: ${counted(max, 'job')} ${max === 1 ? 'is' : 'are'} running, the limit. ${say.repeat} in ${seconds} seconds${say.orWait}.`,
  key_slots_taken: ({ max, seconds }, say) =>
    `This key has ${counted(max, 'running job')}, its limit. ${say.repeat} in ${counted(seconds, 'second')}${say.orWait}.`,
  others_wait: ({ waiting, seconds }, say) =>
    `The service is full: ${counted(waiting, 'job')} ${waiting === 1 ? 'waits' : 'wait'} for a slot. ${say.repeat} in ${counted(seconds, 'second')}${say.orWait}.`,
  queue_full: ({ max, seconds }, say) =>
    `The queue is full: ${counted(max, 'job')} ${max === 1 ? 'waits' : 'wait'}, the limit. ${say.repeat} in ${counted(seconds, 'second')}.`,
  key_queue_full: ({ max, seconds }, say) =>
    `This key has ${counted(max, 'job')} in the queue, its limit. ${say.repeat} in ${counted(seconds, 'second')}, or cancel one that waits.`,
  memory_short: ({ needed_mb, available_mb, seconds }, say) =>
    `The job is estimated to need ${withCommas(needed_mb)} MB of memory, and ${withCommas(available_mb)} MB are available. ${say.repeat} in ${counted(seconds, 'second')} or when other jobs have ended, or ask for fewer rows, columns or draws.`,
  memory_never_enough: ({ needed_mb, total_mb }) =>
    `The job is estimated to need ${withCommas(needed_mb)} MB of memory, and the machine has ${withCommas(total_mb)} MB. Ask for fewer rows, columns or draws, or leave out columns with very many categories.`,
  too_many_jobs_kept: ({ max }, say) =>
    `This key has ${counted(max, 'job')} that ${max === 1 ? 'is' : 'are'} kept, its limit. Erase jobs that you no longer need, or wait until they expire. ${say.repeat} then.`,
  uploads_too_large_together: ({ max_bytes }, say) =>
    `The uploads of this key have ${withCommas(max_bytes)} bytes or more, its limit. Erase jobs that you no longer need, or wait until they expire. ${say.repeat} then.`,
  process_not_started: ({ why, seconds }, say) =>
    `No process could be started for the job: ${why}. ${say.repeat} in ${seconds} seconds.`,
  too_many_requests: ({ max, seconds }, say) =>
    `${counted(max, 'request')} with this key ${max === 1 ? 'is' : 'are'} being answered, the limit. ${say.repeat} in ${counted(seconds, 'second')}.`,
  too_many_wrong_keys: ({ seconds }, say) =>
    `Too many requests with keys that are not valid have come from your address. ${say.repeat} in ${counted(seconds, 'second')}, with a valid key.`,
  job_not_started: ({ job_id }, say) => `Job ${job_id} has not been started. ${say.start}.`,
  job_not_done: ({ job_id, state }, say) =>
    `Job ${job_id} is ${state === 'started' ? 'starting' : state}. ${say.follow(job_id)}.`,
  job_failed: ({ job_id, failure }, say) =>
    `Job ${job_id} failed (${failure.code}). ${problemText(failure, say.way, say.context)}`,
  result_erased: ({ hours }, say) =>
    `The result has been erased: results are kept for ${counted(hours, 'hour')}. ${say.newJob}.`,
  model_not_kept: ({ job_id, hours }, say) =>
    `The model${say.ofJob(job_id)} is not available: it was too large to keep, or has been erased (results are kept for ${counted(hours, 'hour')}). ${say.newJob}.`,
  manifest_altered: ({ job_id }, say) =>
    `The stored manifest of job ${job_id} is not the one that the job wrote, so no receipt of it is signed. ${say.tellOperator}, or start a new job: ${say.upload}.`,
  key_may_not_release: ({ job_id }, say) =>
    `This API key may not release rows. Ask the operator, or somebody whose key may, ${say.toRelease(job_id)}.`,
  rows_withheld: ({ job_id, breaches }, say) =>
    [
      `The rows${say.ofJob(job_id)} are withheld by its release policy.`,
      ...breaches.map(breachText),
      `${say.release(job_id)}.`,
    ].join(' '),
  workbook_too_many_rows_to_write: ({ rows, max }, say) =>
    `The table has ${counted(rows, 'row')}, but a sheet has room for ${withCommas(max)}, the header included. ${say.otherFormat}.`,
  workbook_too_many_columns_to_write: ({ columns, max }, say) =>
    `The table has ${counted(columns, 'column')}, but a sheet has room for ${withCommas(max)}. ${say.otherFormat}.`,
  workbook_too_many_cells_to_write: ({ cells, max }, say) =>
    `The table has ${counted(cells, 'cell')}, but a workbook may have at most ${withCommas(max)}. ${say.otherFormat}.`,
  workbook_cell_too_long_to_write: ({ column, max }, say) =>
    `A cell of column ${quoted(column)} has more than ${withCommas(max)} characters, the limit of a workbook. ${say.otherFormat}.`,

  // The service itself
  disk_full: (_, say) =>
    `The disk is full, and nothing of this request was saved. ${say.tellOperator}. ${say.repeat} when there is space.`,
  data_folder_unavailable: (_, say) =>
    `The data folder cannot be read or written. ${say.tellOperator}. ${say.repeat} later.`,
  stored_data_damaged: (_, say) =>
    `What the service stored of this cannot be read: it was damaged, or changed from outside. ${say.tellOperator}.`,
  signing_key_invalid: ({ file }) =>
    `The file ${file} in the data folder has no Ed25519 key. Restore the right one, or move the file away to have a new one created.`,
  secrets_key_invalid: ({ file }) =>
    `The file ${file} in the data folder is not the key by which the database is encrypted. Restore the right one.`,
  records_missing: ({ file, setting }) =>
    `The data folder has files of jobs (objects/) but no database (${file}). Restore the database from a backup. To start with a new one, without the keys and jobs of the old one, set ${setting}=yes: files that no job knows are erased after some days.`,
  signing_key_gone: ({ file }) => `The file ${file} in the data folder is missing. Restore it, or restart the service.`,
  records_unreachable: ({ seconds }, say) =>
    `The records of the service cannot be reached. ${say.repeat} in ${seconds} seconds.`,
  files_unreachable: ({ seconds }, say) =>
    `The files of the service cannot be reached. ${say.repeat} in ${seconds} seconds.`,
  compute_unreachable: ({ seconds }, say) => `No machine can be requested now. ${say.repeat} in ${seconds} seconds.`,
  uploads_only: () => 'This address takes uploads only. Send the request to the base URL of the service.',
  throttled: ({ seconds }, say) => `The service is overloaded. ${say.repeat} in ${seconds} seconds.`,
  unforeseen: ({ request_id }, say) =>
    `Something went wrong in the service, not in your request. ${say.repeat}; ${say.reportRequest(request_id)}.`,

  // Calls that the service did not answer
  no_answer: ({ url, why }) => `${url} does not answer (${why}). Check the address and that the service is running.`,
  answer_lost: ({ url, why }, say) =>
    `${url} did not answer (${why}). The request may still have been carried out: ${say.lookFirst}.`,
  not_this_service: ({ url, status }) =>
    `The server at ${url} (status ${status}) is not this service. Check the address.`,

  path_unreadable: ({ path, why }) => `${quotedPath(path)} cannot be read: ${why}.`,
  path_unwritable: ({ path, why }) => `${quotedPath(path)} cannot be written: ${why}.`,

  // Tools of assistants
  tool_unknown: ({ tool, known }) =>
    `There is no tool ${quoted(tool)}.${meant(tool, known, quoted)} The tools are ${listed(known, known.length)}.`,
  arguments_invalid: ({ tool, faults, unknown, known }, say) =>
    [
      ...unknown.map((name) => `${tool} has no argument ${quoted(name)}.${meant(name, known, quoted)}`),
      ...faults.map(faultText(say)),
      ...(unknown.length > 0 ? [`Its arguments are ${listed(known, known.length)}.`] : []),
    ].join(' '),
  no_such_columns: ({ columns, known }) =>
    `There is no column ${listed(columns.map(quoted))}.${columns.map((name) => meant(name, known, quoted)).join('')} The columns are ${listed(known.map(quoted), 20)}.`,

  // Jobs that failed
  service_stopped: (_, say) =>
    `The service was stopped while the job ran. Nothing is wrong with the job. ${say.again}.`,
  machine_reclaimed: (_, say) =>
    `The machine was reclaimed every time the job ran. Nothing is wrong with the job. ${say.again}.`,
  job_lost: (_, say) => `The job was lost before a machine ran it. Nothing is wrong with the job. ${say.again}.`,
  job_not_submitted: (_, say) => `No process could be started for the job. ${say.again}.`,
  cancelled: (_, say) => `The job was cancelled. ${say.again} to run it after all.`,
  time_limit: ({ seconds }) =>
    `The job ran for ${counted(seconds, 'second')}, the limit, and was stopped. Ask for fewer rows, columns, draws or text epochs.`,
  memory_limit: () =>
    'The job needed more memory than it is allowed. Ask for fewer rows or columns, or leave out columns with very many categories.',
  machine_too_small: ({ needed_mb, total_mb }) =>
    `The job is estimated to need ${withCommas(needed_mb)} MB of memory, and the machine has ${withCommas(total_mb)} MB. Ask for fewer rows, columns or draws, or leave out columns with very many categories.`,
  process_killed: (_, say) =>
    `The system killed the process of the job, most often because memory ran out. ${say.again}, with fewer rows or columns.`,
  process_crashed: ({ how }, say) =>
    `The process of the job ended unexpectedly (${how}). ${say.again}. ${say.ifItRepeats}.`,
  thread_crashed: ({ work }, say) =>
    `A thread that ${wordsFor(THREADS, work) ?? work} crashed. ${say.again}. ${say.ifItRepeats}.`,
  engine_missing: ({ package: name }) =>
    `Text columns need the package ${name}, which is not installed. Leave them out, or install it where jobs run: ONNXRUNTIME_NODE_INSTALL=skip npm install ${name}.`,
  engine_not_started: ({ backend }, say) =>
    `The engine of text models, TENSOR_BACKEND=${backend}, does not start on the machine that ran the job. ${say.tellOperator}.`,
  no_machine: (_, say) => `No machine was available for the job. ${say.again} later. ${say.ifItRepeats}.`,
  upload_erased_before_run: (_, say) => `The upload has been erased. ${say.newJob}.`,
  upload_altered: (_, say) =>
    `The stored upload is not the file that came: its size or SHA-256 differs. ${say.newJob}.`,
  source_erased: (_, say) => `The job that the model belongs to has been erased. ${say.newJob}.`,
  model_erased: ({ job_id }, say) => `The model${say.ofJob(job_id)} has been erased. ${say.newJob}.`,
  model_of_other_version: ({ job_id }, say) =>
    `The model${job_id === null ? '' : say.ofJob(job_id)} was saved by another version. ${say.newJob}.`,
  column_without_values: ({ column }, say) =>
    `Column ${quoted(column)} has no values: every cell is missing. ${say.again} without it.`,
  column_without_numbers: ({ column, cells }, say) =>
    `Column ${quoted(column)} has no numbers: none of its ${counted(cells, 'non-empty cell')} is one. ${say.again} with it in ${say.field('categorical_cols')} or ${say.field('text_cols')}.`,
  target_without_values: ({ column, rows }) =>
    `The target ${quoted(column)} has no number in any of its ${counted(rows, 'row')}. Choose another target.`,
  family_without_support: ({ column, family, outside, values, holds }, say) =>
    `${outside === null ? `Fewer than ${MIN_COUNT}` : withCommas(outside)} of the ${counted(values, 'value')} of the target ${quoted(column)} cannot come from the family ${family}, which takes ${wordsFor(SUPPORTS, holds) ?? holds}. ${say.again} with ${say.option('family', 'auto')} or one that fits the column.`,
  family_cannot_count: ({ column, family, max }, say) =>
    `The target ${quoted(column)} has a number above ${max}, to which the family ${family} counts at most. ${say.again} with ${say.option('family', 'auto')}.`,
  no_finite_density: ({ column, family }, say) =>
    `The regression of ${quoted(column)} with the family ${family} found no starting point with a finite density. Look for values that overflow, such as 1e300, or try ${say.option('family', 'auto')}.`,
  real_keys_in_result: ({ column }, say) =>
    `A key in column ${quoted(column)} of the result equalled a real one, so no file was written. ${say.again} with another seed, or without the column. ${say.ifItRepeats}.`,
  job_disk_full: (_, say) =>
    `The disk is full, and the job could not write its result. ${say.again} when there is space.`,
  job_storage_unavailable: (_, say) =>
    `The job could not read or write the data folder. ${say.tellOperator}. ${say.again} later.`,
  job_fault: (_, say) => `The job failed because of a fault in the program, not in your request. ${say.reportJob}.`,
};
