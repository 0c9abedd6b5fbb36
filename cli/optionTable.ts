/** All options; the parser, help and shell completions use this table. */
import type { GenerateRequestBody } from '../packages/client/contract.ts';
import { TARGET_FAMILIES } from '../packages/contract/families.ts';
import { ENCODINGS } from '../packages/contract/files.ts';
import { BOUNDS, SAMPLING_BOUNDS } from '../packages/contract/requests.ts';
import { SAMPLERS } from '../packages/numerics/regression/samplers.ts';

export interface OptionRow {
  name: string;
  short?: string;
  /** Placeholder of the value; absent for a switch. */
  value?: string;
  /** May be repeated or a comma-separated list. */
  many?: boolean;
  complete?: 'file' | readonly string[];
  help: string;
  group: string;
  field?: GenerateField;
  /** Included in the short help. */
  common?: boolean;
  /** Also for `synth sample`. */
  sample?: boolean;
  /** Also, or only, for `synth compare`. */
  compare?: boolean | 'alone';
}

type GenerateField = keyof GenerateRequestBody;

const ROLES = 'Columns';
const RESULT = 'Result';
const MODELS = 'Models';
const WHERE = 'Service';
const SAID = 'Output';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export const PROGRESS = ['bar', 'stages', 'lines', 'none'] as const;
export type ProgressForm = (typeof PROGRESS)[number];

export const OPTIONS = [
  {
    group: ROLES,
    name: 'auto',
    short: 'a',
    common: true,
    compare: true,
    help: 'use the suggested role of every column that no option names',
  },
  {
    group: ROLES,
    name: 'target',
    short: 't',
    value: 'COLUMN',
    field: 'target_col',
    common: true,
    compare: true,
    help: 'the column to predict from the others: numbers, or a few categories',
  },
  {
    group: ROLES,
    name: 'no-target',
    field: 'target',
    compare: true,
    help: 'predict no column: with --auto, the suggested target is continuous',
  },
  {
    group: ROLES,
    name: 'continuous',
    value: 'COLUMNS',
    many: true,
    field: 'continuous_cols',
    common: true,
    compare: true,
    help: 'other numeric columns, and dates',
  },
  {
    group: ROLES,
    name: 'categorical',
    value: 'COLUMNS',
    many: true,
    field: 'categorical_cols',
    common: true,
    compare: true,
    help: 'categorical columns',
  },
  {
    group: ROLES,
    name: 'text',
    value: 'COLUMNS',
    many: true,
    field: 'text_cols',
    common: true,
    compare: true,
    help: 'free-text columns',
  },
  {
    group: ROLES,
    name: 'ignore',
    value: 'COLUMNS',
    many: true,
    common: true,
    compare: true,
    help: 'columns to leave out of the result',
  },
  {
    group: ROLES,
    name: 'entity',
    value: 'COLUMN',
    field: 'entity_col',
    help: 'the key of persons or things with several rows each: their rows are made as sequences',
  },
  {
    group: ROLES,
    name: 'order',
    value: 'COLUMN',
    field: 'order_col',
    help: 'with --entity: the number or date that puts rows in order (default: their order in the file)',
  },
  {
    group: ROLES,
    name: 'encoding',
    value: 'NAME',
    complete: ENCODINGS,
    compare: true,
    help: 'encoding of a text file that is not UTF-8, such as windows-1252',
  },
  {
    group: RESULT,
    name: 'holdout',
    value: 'FILE',
    complete: 'file',
    compare: 'alone',
    help: 'real rows that were not used for training, to test privacy',
  },
  {
    group: ROLES,
    name: 'inspect',
    common: true,
    help: 'only show what each column is and its suggested role',
  },
  {
    group: RESULT,
    name: 'estimate',
    common: true,
    compare: true,
    help: 'only show how long it would take, and a cheaper plan',
  },
  {
    group: RESULT,
    name: 'output',
    short: 'o',
    value: 'FILE',
    complete: 'file',
    common: true,
    sample: true,
    help: 'the table: .csv, .jsonl, .parquet or .xlsx; - for standard output (synthetic_data.csv)',
  },
  {
    group: RESULT,
    name: 'report',
    value: 'FILE',
    complete: 'file',
    common: true,
    sample: true,
    compare: true,
    help: 'also write a quality report, as an HTML page',
  },
  {
    group: RESULT,
    name: 'share-report',
    value: 'FILE',
    complete: 'file',
    sample: true,
    help: 'with --epsilon: also write a report without figures of real rows, which may be handed on',
  },
  {
    group: RESULT,
    name: 'receipt',
    value: 'FILE',
    complete: 'file',
    sample: true,
    help: 'also write a signed receipt of how the table was made',
  },
  {
    group: RESULT,
    name: 'rows',
    short: 'n',
    value: 'N',
    field: 'n_samples',
    common: true,
    sample: true,
    help: `rows to generate (default: ${BOUNDS.n_samples.default})`,
  },
  {
    group: RESULT,
    name: 'entities',
    value: 'N',
    field: 'n_entities',
    sample: true,
    help: 'with --entity, in place of --rows: the entities to generate',
  },
  {
    group: RESULT,
    name: 'seed',
    short: 's',
    value: 'N',
    field: 'seed',
    common: true,
    sample: true,
    compare: true,
    help: 'the same table, options, seed and version give the same bytes',
  },
  {
    group: RESULT,
    name: 'conditions',
    value: 'JSON',
    complete: 'file',
    field: 'conditions',
    sample: true,
    help: 'conditions that rows meet exactly: JSON, or @FILE with it',
  },
  {
    group: RESULT,
    name: 'keep-rare',
    field: 'keep_rare',
    help: 'keep rare categories, and the largest and smallest numbers',
  },
  {
    group: RESULT,
    name: 'cross-fit',
    field: 'cross_fit',
    help: 'fit models again without each fifth of the rows, to show more of what attacks can do',
  },
  {
    group: RESULT,
    name: 'allow-few-rows',
    field: 'allow_few_rows',
    help: 'use a table of fewer than 50 rows, of which the result may show each',
  },
  {
    group: RESULT,
    name: 'policy',
    value: 'JSON',
    complete: ['strict'],
    field: 'policy',
    help: 'release policy that the table must meet: JSON, @FILE with it, or strict',
  },
  {
    group: RESULT,
    name: 'epsilon',
    value: 'E',
    field: 'privacy',
    help: 'make the table differentially private with this ε; needs --domain',
  },
  {
    group: RESULT,
    name: 'delta',
    value: 'D',
    help: 'δ of --epsilon (default: 1e-6)',
  },
  {
    group: RESULT,
    name: 'domain',
    value: 'FILE',
    complete: 'file',
    field: 'domain',
    help: 'what cells may be, known without the table: a file with JSON, or JSON',
  },
  {
    group: RESULT,
    name: 'fail-on',
    value: 'GRADE',
    complete: ['mixed', 'poor'],
    sample: true,
    compare: true,
    help: 'exit with code 7 if any verdict is at least this bad: mixed or poor',
  },
  {
    group: MODELS,
    name: 'family',
    value: 'NAME',
    complete: ['auto', ...TARGET_FAMILIES],
    field: 'family',
    help: 'distribution family of the target (default: auto)',
  },
  {
    group: MODELS,
    name: 'draws',
    value: 'N',
    field: 'draws',
    help: `posterior draws per chain (default: ${BOUNDS.draws.default})`,
  },
  {
    group: MODELS,
    name: 'tune',
    value: 'N',
    field: 'tune',
    help: `warm-up steps per chain (default: ${BOUNDS.tune.default})`,
  },
  {
    group: MODELS,
    name: 'sampler',
    value: 'NAME',
    complete: SAMPLERS,
    field: 'sampler',
    help: 'how the posterior is drawn from: auto, nuts (chains, however long), approximate (auto)',
  },
  {
    group: MODELS,
    name: 'no-calibrate',
    field: 'calibrate',
    help: 'write posterior predictive draws of the target as they are, not calibrated to its column',
  },
  {
    group: MODELS,
    name: 'text-epochs',
    value: 'N',
    field: 'text_epochs',
    help: `epochs of the language model (default: ${BOUNDS.text_epochs.default})`,
  },
  {
    group: MODELS,
    name: 'temperature',
    value: 'T',
    field: 'text_temperature',
    help: `sampling temperature of texts; lower is more regular (default: ${SAMPLING_BOUNDS.text_temperature.default})`,
  },
  {
    group: MODELS,
    name: 'nucleus',
    value: 'P',
    field: 'text_nucleus',
    help: `top-p of texts (default: ${SAMPLING_BOUNDS.text_nucleus.default})`,
  },
  {
    group: WHERE,
    name: 'url',
    value: 'URL',
    common: true,
    sample: true,
    help: 'use the service at this address; without it, nothing leaves this machine',
  },
  {
    group: WHERE,
    name: 'key',
    value: 'KEY',
    sample: true,
    help: 'key of the service; safer in the environment variable SYNTHETIC_TABLES_KEY',
  },
  {
    group: WHERE,
    name: 'no-queue',
    field: 'queue',
    sample: true,
    help: 'end with an error, and do not wait, where the service has no free slot',
  },
  {
    group: WHERE,
    name: 'callback',
    value: 'URL',
    field: 'callback_url',
    help: 'an https address that the service calls when the job ends',
  },
  { group: WHERE, name: 'erase', help: 'erase the job from the service once the result is written' },
  {
    group: SAID,
    name: 'json',
    common: true,
    sample: true,
    compare: true,
    help: 'verdicts, figures, files and the request as one JSON object on standard output',
  },
  { group: SAID, name: 'quiet', short: 'q', help: 'print only errors', sample: true, compare: true },
  {
    group: SAID,
    name: 'progress',
    value: 'HOW',
    complete: PROGRESS,
    sample: true,
    compare: true,
    help: 'bar (on a terminal), stages (a few lines; elsewhere), lines (all of them), or none',
  },
  { group: SAID, name: 'debug', help: 'write a log to standard error', sample: true, compare: true },
  {
    group: SAID,
    name: 'completion',
    value: 'SHELL',
    complete: SHELLS,
    help: 'print the completion script for bash, zsh or fish',
  },
  { group: SAID, name: 'version', short: 'V', help: 'print the version' },
  { group: SAID, name: 'help', short: 'h', help: 'print the short help; --help all prints all of it', common: true },
] as const satisfies readonly OptionRow[];

export type OptionName = (typeof OPTIONS)[number]['name'];
