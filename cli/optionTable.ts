import { ENCODINGS } from '../packages/contract/files.ts';

/** Every option of `synth`: the parser, the help and the shells' completions are made from this table. */
export interface OptionRow {
  name: string;
  short?: string;
  /** What stands behind it; absent for a switch. */
  value?: string;
  /** Given several times, or as a list with commas. */
  many?: boolean;
  /** What a shell completes its value with. */
  complete?: 'file' | readonly string[];
  help: string;
  group: string;
}

const ROLES = 'Columns';
const RESULT = 'Result';
const WHERE = 'Service';
const SAID = 'Output';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export const OPTIONS = [
  { group: ROLES, name: 'auto', short: 'a', help: 'use the suggested role of every column that no option names' },
  { group: ROLES, name: 'target', short: 't', value: 'COLUMN', help: 'the numeric column to predict from the others' },
  { group: ROLES, name: 'continuous', value: 'COLUMNS', many: true, help: 'other numeric columns, and dates' },
  { group: ROLES, name: 'categorical', value: 'COLUMNS', many: true, help: 'categorical columns' },
  { group: ROLES, name: 'text', value: 'COLUMNS', many: true, help: 'free-text columns' },
  { group: ROLES, name: 'ignore', value: 'COLUMNS', many: true, help: 'columns to leave out of the result' },
  {
    group: ROLES,
    name: 'encoding',
    value: 'NAME',
    complete: ENCODINGS,
    help: 'encoding of a text file that is not UTF-8, such as windows-1252',
  },
  { group: ROLES, name: 'inspect', help: 'only show what each column is and its suggested role' },
  { group: RESULT, name: 'estimate', help: 'only show how long it would take, and a cheaper plan' },
  {
    group: RESULT,
    name: 'output',
    short: 'o',
    value: 'FILE',
    complete: 'file',
    help: 'the table: .csv, .jsonl, .parquet or .xlsx; - for standard output (synthetic_data.csv)',
  },
  {
    group: RESULT,
    name: 'report',
    value: 'FILE',
    complete: 'file',
    help: 'also write a quality report, as an HTML page',
  },
  {
    group: RESULT,
    name: 'receipt',
    value: 'FILE',
    complete: 'file',
    help: 'also write a signed receipt of how the table was made',
  },
  { group: RESULT, name: 'rows', short: 'n', value: 'N', help: 'rows to generate (default: as many as the table has)' },
  {
    group: RESULT,
    name: 'seed',
    short: 's',
    value: 'N',
    help: 'the same table, options, seed and version give the same bytes',
  },
  { group: RESULT, name: 'family', value: 'NAME', help: 'distribution family of the target (default: auto)' },
  { group: RESULT, name: 'draws', value: 'N', help: 'posterior draws per chain (default: 1000)' },
  { group: RESULT, name: 'tune', value: 'N', help: 'warm-up steps per chain (default: 1000)' },
  { group: RESULT, name: 'text-epochs', value: 'N', help: 'epochs of the language model (default: 3)' },
  {
    group: RESULT,
    name: 'temperature',
    value: 'T',
    help: 'sampling temperature of texts; lower is more regular (default: 1)',
  },
  { group: RESULT, name: 'nucleus', value: 'P', help: 'top-p of texts (default: 0.95)' },
  { group: RESULT, name: 'keep-rare', help: 'keep rare categories' },
  {
    group: RESULT,
    name: 'allow-few-rows',
    help: 'use a table of fewer than 50 rows, of which the result may show each',
  },
  {
    group: RESULT,
    name: 'fail-on',
    value: 'GRADE',
    complete: ['mixed', 'poor'],
    help: 'end with 7 where a verdict on the table is mixed or poor: mixed, or poor alone',
  },
  {
    group: WHERE,
    name: 'url',
    value: 'URL',
    help: 'use the service at this address; without it, nothing leaves this machine',
  },
  {
    group: WHERE,
    name: 'key',
    value: 'KEY',
    help: 'key of the service; safer in the environment variable SYNTHETIC_TABLES_KEY',
  },
  { group: WHERE, name: 'erase', help: 'erase the job from the service once the result is written' },
  { group: SAID, name: 'json', help: 'roles, metrics and progress as one JSON object on standard output' },
  { group: SAID, name: 'quiet', short: 'q', help: 'print only errors' },
  { group: SAID, name: 'debug', help: 'write a log to standard error' },
  {
    group: SAID,
    name: 'completion',
    value: 'SHELL',
    complete: SHELLS,
    help: 'print the completion script for bash, zsh or fish',
  },
  { group: SAID, name: 'version', short: 'V', help: 'print the version' },
  { group: SAID, name: 'help', short: 'h', help: 'print this help' },
] as const satisfies readonly OptionRow[];

export type OptionName = (typeof OPTIONS)[number]['name'];
