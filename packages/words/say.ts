import type { Case } from '../contract/problems.ts';
import type { Reason } from '../contract/reasons.ts';
import { readAsButton } from './files.ts';

/** Phrases for the next step in each entry point. */
export type WayIn = 'http' | 'page' | 'cli' | 'mcp' | 'library';

/** The job that a message concerns. */
export interface ProblemContext {
  jobId?: string | undefined;
  /** For a sample, the job of its model. */
  sampleOf?: string | undefined;
}

export interface Voice {
  /** Name of a request field: "draws", "--draws", "Draws". */
  field(name: string): string;
}

/** Phrases without full stop; capitalised ones start a sentence. */
export interface Say extends Voice {
  way: WayIn;
  context: ProblemContext;
  option(name: string, value: string): string;
  /** Starts the job again. */
  again: string;
  /** Sends the request again. */
  repeat: string;
  /** Follows `repeat` to offer queueing; empty if automatic. */
  orWait: string;
  start: string;
  /** Starts over with the file. */
  newJob: string;
  /** `newJob` within a sentence. */
  upload: string;
  give: string;
  giveAgain: string;
  andUse(what: string): string;
  readAs(encoding: string): string;
  follow(jobId: string): string;
  seeResult(jobId: string): string;
  sampleFrom(jobId: string): string;
  release(jobId: string): string;
  /** What others must be asked to do. */
  toRelease(jobId: string): string;
  /** What happens to the rows of a small table. */
  thenWithheld: string;
  otherFormat: string;
  lookFirst: string;
  ofJob(jobId: string): string;
  whereJobIdIsFrom: string;
  newKey: string;
  tellOperator: string;
  ifItRepeats: string;
  reportJob: string;
  reportRequest(requestId: string): string;
}

export function sayIn(way: WayIn, context: ProblemContext = {}): Say {
  const phrases = VOICES[way](context);
  return { ...phrases, upload: clause(phrases.newJob), way, context };
}

/** Lower-cases the first letter. */
export const clause = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;

type Phrases = Omit<Say, 'way' | 'context' | 'upload'>;

const quotedOption = (name: string, value: string): string =>
  value === 'true' ? `${name}: true` : `${name} ${JSON.stringify(value)}`;

const http = ({ sampleOf }: ProblemContext): Phrases => ({
  field: (name) => name,
  option: quotedOption,
  again: sampleOf === undefined ? 'Send POST /generate again' : `Send POST /sample/${sampleOf} again`,
  repeat: 'Send the request again',
  orWait: ', or with "queue": true to wait for a slot',
  start: 'Send POST /generate first',
  newJob: 'Upload the file again for a new job_id',
  give: 'Upload',
  giveAgain: 'upload it again',
  andUse: (what) => `and upload ${what}`,
  readAs: (encoding) => `Send the form field encoding=${encoding} with the file to read it as that`,
  follow: (jobId) => `GET /status/${jobId} shows its progress`,
  seeResult: (jobId) => `GET /status/${jobId} shows its result`,
  sampleFrom: (jobId) => `Send POST /sample/${jobId}`,
  thenWithheld: 'the rows are then withheld until POST /jobs/{job_id}/release',
  release: (jobId) =>
    `GET /report/${jobId} shows the metrics; POST /jobs/${jobId}/release, with a key that may, releases the rows anyway`,
  toRelease: (jobId) => `to send POST /jobs/${jobId}/release`,
  lookFirst: 'look at GET /jobs before you send it again',
  otherFormat: 'Ask for format=csv, jsonl or parquet',
  ofJob: (jobId) => ` of job ${jobId}`,
  whereJobIdIsFrom: 'that POST /upload returned',
  newKey: 'Ask the operator for a new one',
  tellOperator: 'Tell the operator of the service',
  ifItRepeats: 'If it happens again, tell the operator the job_id',
  reportJob: 'Tell the operator of the service the job_id',
  reportRequest: (id) => `if it happens again, tell the operator the request id ${id}`,
});

const LABELS: Readonly<Record<string, string>> = {
  target_col: 'Target',
  continuous_cols: 'Continuous',
  categorical_cols: 'Categorical',
  text_cols: 'Text',
  entity_col: 'ID column',
  order_col: 'In the order of',
  n_entities: 'Entities to generate',
  n_samples: 'Rows to generate',
  rows: 'Rows to generate',
  draws: 'Draws',
  tune: 'Tuning steps',
  family: 'Family',
  text_epochs: 'Text epochs',
  text_temperature: 'Temperature',
  text_nucleus: 'Top-p',
  sampler: 'Sampler',
  calibrate: 'Calibrate the target',
  keep_rare: 'Keep rare categories',
  cross_fit: 'Cross-fit the attacks',
  allow_few_rows: 'Allow few rows',
  conditions: 'Conditions',
  policy: 'Strict release policy',
  privacy: 'Privacy (ε)',
  domain: 'Domain',
  seed: 'Seed',
  callback_url: 'Webhook URL',
};

const page = (): Phrases => ({
  field: (name) => LABELS[name] ?? name,
  option: (name, value) => `${LABELS[name] ?? name}${value === 'true' ? '' : `: ${value}`}`,
  again: 'Start again',
  repeat: 'Try again',
  orWait: '',
  start: 'Start it first',
  newJob: 'Upload the file again',
  give: 'Upload',
  giveAgain: 'upload it again',
  andUse: (what) => `and upload ${what}`,
  readAs: (encoding) => `Choose "${readAsButton(encoding)}"`,
  follow: () => 'The page shows its progress',
  seeResult: () => 'The page shows its result',
  sampleFrom: () => 'Ask the first job for more rows',
  thenWithheld: 'the rows are then withheld until they are released',
  release: () => 'The report shows the metrics; you can release the rows anyway, if your key may',
  toRelease: (jobId) => `to release job ${jobId}`,
  lookFirst: 'look at "My jobs" before you try again',
  otherFormat: 'Choose CSV, JSON Lines or Parquet',
  ofJob: () => '',
  whereJobIdIsFrom: 'of an upload',
  newKey: 'Ask the operator for a new one',
  tellOperator: 'Tell the operator of the service',
  ifItRepeats: 'If it happens again, tell the operator the job ID',
  reportJob: 'Tell the operator of the service the job ID',
  reportRequest: (id) => `if it happens again, tell the operator the request ID ${id}`,
});

const OPTIONS: Readonly<Record<string, string>> = {
  target_col: '--target',
  continuous_cols: '--continuous',
  categorical_cols: '--categorical',
  text_cols: '--text',
  entity_col: '--entity',
  order_col: '--order',
  n_entities: '--entities',
  n_samples: '--rows',
  rows: '--rows',
  draws: '--draws',
  tune: '--tune',
  family: '--family',
  text_epochs: '--text-epochs',
  text_temperature: '--temperature',
  text_nucleus: '--nucleus',
  sampler: '--sampler',
  calibrate: '--no-calibrate',
  keep_rare: '--keep-rare',
  cross_fit: '--cross-fit',
  allow_few_rows: '--allow-few-rows',
  target: '--no-target',
  conditions: '--conditions',
  policy: '--policy',
  privacy: '--epsilon',
  domain: '--domain',
  callback_url: '--callback',
  queue: '--no-queue',
  seed: '--seed',
};

const cli = (): Phrases => ({
  field: (name) => name.replace(/^\w+/, (field) => OPTIONS[field] ?? field),
  option: (name, value) => `${OPTIONS[name] ?? name}${value === 'true' || value === 'none' ? '' : ` ${value}`}`,
  again: 'Run the command again',
  repeat: 'Run the command again',
  orWait: ', or without --no-queue to wait for a slot',
  start: 'Run the command again',
  newJob: 'Run the command again with the table',
  give: 'Use',
  giveAgain: 'run the command again',
  andUse: (what) => `and use ${what}`,
  readAs: (encoding) => `Add --encoding ${encoding} to read it as that`,
  follow: () => 'Wait until it is done',
  seeResult: () => 'Its result is there already',
  sampleFrom: (jobId) => `Run "synthetic-tables sample ${jobId}"`,
  thenWithheld: 'look at every row before you share any; a service withholds them until they are released',
  release: () => '--report FILE writes the metrics; a key that may can release the rows on the web page of the service',
  toRelease: (jobId) => `to release job ${jobId}`,
  lookFirst: 'look at your jobs on the web page of the service before you run the command again',
  otherFormat: 'Choose a name that ends in .csv, .jsonl or .parquet',
  ofJob: (jobId) => ` of job ${jobId}`,
  whereJobIdIsFrom: 'that an earlier run printed',
  newKey: 'Ask the operator of the service for a new one',
  tellOperator: 'Check the disk, or tell the operator of the service at --url',
  ifItRepeats: 'If it happens again, run it with --debug and report what it prints',
  reportJob: 'Run the command with --debug and report what it prints',
  reportRequest: (id) => `if it happens again, tell the operator of the service the request id ${id}`,
});

const mcp = ({ sampleOf }: ProblemContext): Phrases => ({
  field: (name) => name,
  option: quotedOption,
  again: sampleOf === undefined ? 'Call tables_generate again' : `Call tables_sample again with job_id ${sampleOf}`,
  repeat: 'Call the tool again',
  orWait: ', or with queue true to wait for a slot',
  start: 'Call tables_generate first',
  newJob: 'Upload the table again for a new job_id',
  give: 'Upload',
  giveAgain: 'upload it again',
  andUse: (what) => `and upload ${what}`,
  readAs: (encoding) => `Give encoding "${encoding}" to read it as that`,
  follow: (jobId) => `Call tables_status with job_id ${jobId}`,
  seeResult: (jobId) => `Call tables_status with job_id ${jobId} for its result`,
  sampleFrom: (jobId) => `Call tables_sample with job_id ${jobId}`,
  thenWithheld: 'the rows are then withheld until the user releases them on the web page of the service',
  release: () =>
    'tables_read_report shows the metrics; only the user can release the rows, on the web page of the service',
  toRelease: (jobId) => `to release job ${jobId}`,
  lookFirst: 'call tables_list_jobs before you call the tool again',
  otherFormat: 'Choose csv, jsonl or parquet',
  ofJob: (jobId) => ` of job ${jobId}`,
  whereJobIdIsFrom: 'that the upload returned',
  newKey: 'The user can ask the operator of the service for a new one',
  tellOperator: 'The user can tell the operator of the service',
  ifItRepeats: 'If it happens again, the user can tell the operator of the service the job_id',
  reportJob: 'The user can tell the operator of the service the job_id',
  reportRequest: (id) => `if it happens again, the user can tell the operator the request id ${id}`,
});

/** A library has no jobs or files; the type requires their phrases. */
const library = (): Phrases => ({
  field: (name) => name,
  option: quotedOption,
  again: 'Call synthesize again',
  repeat: 'Call it again',
  orWait: '',
  start: 'Call synthesize first',
  newJob: 'Call synthesize with the table',
  give: 'Give',
  giveAgain: 'call it again',
  andUse: (what) => `and use ${what}`,
  readAs: (encoding) => `Give the option encoding: '${encoding}' to read it as that`,
  follow: () => 'Wait for its promise',
  seeResult: () => 'Wait for its promise',
  sampleFrom: () => 'Call model.sample',
  thenWithheld: 'metrics.release then says "withheld": look at every row before you share any',
  release: () => 'report() has the metrics',
  toRelease: (jobId) => `to release job ${jobId}`,
  lookFirst: 'look at what was made before you call it again',
  otherFormat: 'Use csv() instead',
  ofJob: () => '',
  whereJobIdIsFrom: 'of a job',
  newKey: 'Ask for a new one',
  tellOperator: 'Check the disk',
  ifItRepeats: 'If it happens again, report it with the stack of this error',
  reportJob: 'Report it with the stack of this error',
  reportRequest: () => 'if it happens again, report it with the stack of this error',
});

const VOICES: Record<WayIn, (context: ProblemContext) => Phrases> = { http, page, cli, mcp, library };

export const faultText = (say: Say) => (fault: { field: string; rule: string; found: string | null }) =>
  `${say.field(fault.field)} ${fault.rule}${fault.found === null ? '' : `; found ${fault.found}`}.`;

export type Texts = { [R in Reason]: (params: Case<R>, say: Say) => string };
