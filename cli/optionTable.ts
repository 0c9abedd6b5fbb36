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

const ROLES = 'What the columns are';
const RESULT = 'What to make';
const WHERE = 'Where';
const SAID = 'What is said';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export const OPTIONS = [
  { group: ROLES, name: 'auto', short: 'a', help: 'take the suggested role for every column that no option names' },
  { group: ROLES, name: 'target', short: 't', value: 'COLUMN', help: 'the numeric column that the others explain' },
  { group: ROLES, name: 'continuous', value: 'COLUMNS', many: true, help: 'other numbers and dates' },
  { group: ROLES, name: 'categorical', value: 'COLUMNS', many: true, help: 'categories' },
  { group: ROLES, name: 'text', value: 'COLUMNS', many: true, help: 'free text' },
  { group: ROLES, name: 'ignore', value: 'COLUMNS', many: true, help: 'left out of the result' },
  { group: ROLES, name: 'inspect', help: 'only show what each column is, and its suggested role' },
  { group: RESULT, name: 'estimate', help: 'only show how long it would take, and what would take less' },
  {
    group: RESULT,
    name: 'output',
    short: 'o',
    value: 'FILE',
    complete: 'file',
    help: 'the table: .csv, .jsonl, .parquet, .xlsx; - is standard output. synthetic_data.csv',
  },
  {
    group: RESULT,
    name: 'report',
    value: 'FILE',
    complete: 'file',
    help: 'also write how good the table is, as an HTML page',
  },
  {
    group: RESULT,
    name: 'receipt',
    value: 'FILE',
    complete: 'file',
    help: 'also write what it was made from and how, signed',
  },
  { group: RESULT, name: 'rows', short: 'n', value: 'N', help: 'rows to make; as many as the table has' },
  {
    group: RESULT,
    name: 'seed',
    short: 's',
    value: 'N',
    help: 'the same table, options, seed and version give the same bytes',
  },
  { group: RESULT, name: 'family', value: 'NAME', help: 'distribution family of the target; auto' },
  { group: RESULT, name: 'draws', value: 'N', help: 'draws that the sampler keeps; 1000' },
  { group: RESULT, name: 'tune', value: 'N', help: 'steps in which the sampler adapts; 1000' },
  { group: RESULT, name: 'text-epochs', value: 'N', help: 'passes of the text model over the text; 3' },
  { group: RESULT, name: 'temperature', value: 'T', help: 'below 1: more likely words; above: less likely ones; 1' },
  { group: RESULT, name: 'nucleus', value: 'P', help: 'share of probability that words are drawn from; 0.95' },
  { group: RESULT, name: 'keep-rare', help: 'let levels come out that only a few rows have' },
  {
    group: WHERE,
    name: 'url',
    value: 'URL',
    help: 'a service to send the table to; without it, nothing leaves this machine',
  },
  {
    group: WHERE,
    name: 'key',
    value: 'KEY',
    help: 'its key; better in the environment as SYNTHETIC_TABLES_KEY, where other users do not see it',
  },
  { group: WHERE, name: 'erase', help: 'erase the job from that service once the result is written' },
  { group: SAID, name: 'json', help: 'roles, metrics and progress as one JSON object on standard output' },
  { group: SAID, name: 'quiet', short: 'q', help: 'say nothing but errors' },
  { group: SAID, name: 'debug', help: 'write the log of what happens to standard error' },
  {
    group: SAID,
    name: 'completion',
    value: 'SHELL',
    complete: SHELLS,
    help: 'print the completion of a shell: bash, zsh or fish',
  },
  { group: SAID, name: 'version', short: 'V', help: 'print the version' },
  { group: SAID, name: 'help', short: 'h', help: 'print this' },
] as const satisfies readonly OptionRow[];

export type OptionName = (typeof OPTIONS)[number]['name'];
