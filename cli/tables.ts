import type { JobMetrics, StatusReply, UploadReply } from '../packages/client/contract.ts';
import { GRADES, worstGrade } from '../packages/contract/grades.ts';
import type { Estimate } from '../packages/contract/replies.ts';
import type { Judgement } from '../packages/contract/verdicts.ts';
import { FIGURE_HEAD, figureCells, keyFigures } from '../packages/words/figures.ts';
import { decimal } from '../packages/words/format.ts';
import { AREAS, GRADES as GRADE_WORDS } from '../packages/words/report.ts';
import { counted } from '../packages/words/wording.ts';
import { CliError, EXIT } from './exitCodes.ts';
import { write } from './files.ts';
import type { MakeCommand, ResultOptions } from './parsedCommand.ts';

/** Tables made here have no job id. */
type Shown = Pick<StatusReply, 'progress'> & {
  job_id: string | null;
  metrics: JobMetrics;
  receipt?: ShownReceipt | undefined;
};

/** Facts that the receipt cannot prove: the right key, and the salt of the input. */
export interface ShownReceipt {
  key_id: string;
  input_salt?: string | undefined;
}

/** Uses standard error if the table goes to standard output. Throws CliError for `--fail-on`. */
export function showResult(
  { metrics, job_id, progress, receipt }: Shown,
  request: object,
  command: ResultOptions,
): void {
  const { output, json, quiet } = command;
  if (json) {
    const verdicts = metrics.verdicts ?? [];
    const figures = keyFigures(metrics).map(({ name, figure }) => ({ name, ...figure }));
    const said = { job_id, grade: worstGrade(verdicts), verdicts, figures, files: filesOf(command) };
    write(process.stdout, JSON.stringify({ ...said, output, request, metrics, receipt, progress }, null, 2));
  }
  if (!json && !quiet) describeResult({ metrics, receipt, job_id }, output);
  failOn(metrics, command, 'The table is written');
}

const filesOf = ({ output, report, reportForSharing, receipt }: ResultOptions): Record<string, string> => ({
  table: output,
  ...(report !== null && { report }),
  ...(reportForSharing !== null && { report_for_sharing: reportForSharing }),
  ...(receipt !== null && { receipt }),
});

function describeResult({ metrics, receipt, job_id }: Omit<Shown, 'progress'>, output: string): void {
  const stream = output === '-' ? process.stderr : process.stdout;
  write(stream, `${metricsTable(metrics)}\n`);
  for (const line of verdictLines(metrics.verdicts ?? [])) write(stream, line);
  const unconverged = metrics.regression && !metrics.regression.converged ? [metrics.regression.summary] : [];
  for (const line of [...unconverged, ...(metrics.release?.reasons ?? [])]) write(stream, `warning: ${line}`);
  for (const line of receipt ? receiptLines(receipt) : []) write(stream, line);
  if (job_id !== null) write(stream, `job ${job_id}`);
  const rows = `${counted(metrics.rows_generated, 'row')} of ${counted(metrics.columns.length, 'column')}`;
  write(stream, `${rows}, seed ${metrics.seed}${output === '-' ? '' : ` → ${output}`}`);
}

const verdictLine = ({ area, grade, headline }: Judgement): string =>
  `${AREAS[area]}: ${GRADE_WORDS[grade]}. ${headline}`;

export const verdictLines = (verdicts: readonly Judgement[]): string[] => {
  const lines = verdicts.flatMap((verdict) => [
    verdictLine(verdict),
    ...verdict.next.map(({ text }) => `  next: ${text}`),
  ]);
  return lines.length > 0 ? [...lines, ''] : [];
};

/** Throws CliError if a verdict is at least as bad. */
export function failOn(
  { verdicts }: Pick<JobMetrics, 'verdicts'>,
  { failOn: limit }: Pick<ResultOptions, 'failOn'>,
  done: string,
): void {
  if (limit === null || verdicts === null) return;
  const failed = verdicts.filter(({ grade }) => GRADES.indexOf(grade) >= GRADES.indexOf(limit));
  if (failed.length === 0) return;
  const said = failed.map(verdictLine).join(' ');
  throw new CliError(EXIT.verdict, `${done}, but --fail-on ${limit} holds it back. ${said}`);
}

const receiptLines = ({ key_id, input_salt }: ShownReceipt): string[] => [
  `receipt: signed with the key ${key_id}; pass the id on with it, for "synth verify --key"`,
  ...(input_salt === undefined ? [] : [`salt of the input in the receipt: ${input_salt}; keep it to yourself`]),
];

export function metricsTable(metrics: JobMetrics): string {
  const rows = keyFigures(metrics).map(figureCells);
  if (rows.length > 0) return textTable(FIGURE_HEAD, rows);
  return textTable(
    ['figure', 'value'],
    Object.entries(metrics.numeric).map(([name, value]) => [name, typeof value === 'string' ? value : decimal(value)]),
  );
}

/** Output of `--inspect`. */
export function showColumns(upload: Omit<UploadReply, 'job_id'>, { json }: Pick<MakeCommand, 'json'>): void {
  const { columns, col_types, n_rows, warnings, preview, suggested_target, suggested_entity, profile } = upload;
  const said = { columns, col_types, n_rows, warnings, preview, suggested_target, suggested_entity, profile };
  write(process.stdout, json ? JSON.stringify(said, null, 2) : columnsTable(upload));
}

function columnsTable(upload: Omit<UploadReply, 'job_id'>): string {
  const rows = upload.profile.columns.map(({ name, kind, suggested_role, missing, evidence }) => [
    name,
    kind,
    kind === 'identifier' && suggested_role !== 'ignore' ? 'new keys' : suggested_role,
    missing > 0 ? String(missing) : '',
    evidence[0] ?? '',
  ]);
  const lines = [
    textTable(['column', 'kind', 'suggested role', 'missing', 'why'], rows),
    ...targetLine(upload.suggested_target),
    ...entityLines(upload.suggested_entity),
    ...upload.profile.relations.map(({ sentence }) => `relation: ${sentence}`),
    ...upload.warnings.map((warning) => `warning: ${warning}`),
  ];
  return lines.join('\n');
}

const targetLine = (suggested: UploadReply['suggested_target']): string[] => {
  if (suggested === undefined) return [];
  return [suggested ? `target: ${suggested.column} (${suggested.reason})` : 'target: none suggested'];
};

const entityLines = (suggested: UploadReply['suggested_entity']): string[] => {
  if (!suggested) return [];
  const { column, reason, order } = suggested;
  return [`entity: ${column} (${reason})`, ...(order ? [`order: ${order.column} (${order.reason})`] : [])];
};

export function textTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, j) => Math.max(title.length, ...rows.map((row) => (row[j] ?? '').length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, j) => cell.padEnd(widths[j] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(header), line(widths.map((width) => '─'.repeat(width))), ...rows.map(line)].join('\n');
}

type EstimateOptions = Pick<MakeCommand, 'json' | 'url'>;

export const showEstimate = (estimate: Estimate, command: EstimateOptions): void =>
  write(process.stdout, command.json ? JSON.stringify(estimate, null, 2) : estimateText(estimate, command));

const time = (seconds: number): string => (seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`);

export const estimateLine = ({ seconds, cpu_seconds, privacy }: Estimate, { url }: Pick<MakeCommand, 'url'>): string =>
  `about ${time(seconds.expected)} on ${url === null ? 'this machine' : 'the machine of the service'} (${time(seconds.low)} to ${time(seconds.high)}), ${time(cpu_seconds.expected)} of CPU${noiseText(privacy)}`;

function noiseText(privacy: Estimate['privacy']): string {
  if (!privacy) return '';
  const { columns, pairs } = privacy.expected_total_variation;
  return `; noise: mean total variation of about ${columns} of columns and ${pairs} of pairs`;
}

function estimateText(estimate: Estimate, command: EstimateOptions): string {
  const { memory_mb, cost, stages, cheaper } = estimate;
  return [
    `${estimateLine(estimate, command)}, ${memory_mb} MB of memory`,
    ...(cost ? [`about $${cost.usd.toFixed(3)} (assuming ${cost.assumes})`] : []),
    ...stages.map(({ stage, seconds, why }) => `  ${stage.padEnd(10)} ${time(seconds).padStart(8)}  ${why}`),
    ...(cheaper ? ['', ...planLines(cheaper)] : []),
  ].join('\n');
}

const planLines = ({ seconds, fields, tradeoffs }: NonNullable<Estimate['cheaper']>): string[] => [
  `cheaper: about ${time(seconds.expected)} with ${Object.entries(fields)
    .map(([field, value]) => `${OPTION_OF[field] ?? field} ${value}`)
    .join(' ')}`,
  ...tradeoffs.map((text) => `  ${text}`),
];

const OPTION_OF: Readonly<Record<string, string>> = {
  draws: '--draws',
  tune: '--tune',
  n_samples: '--rows',
  text_epochs: '--text-epochs',
};
