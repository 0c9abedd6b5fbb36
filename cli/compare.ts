import { basename } from 'node:path';
import { worstGrade } from '../packages/contract/grades.ts';
import type { Estimate } from '../packages/contract/replies.ts';
import { compare, inspect, type JobEvent, sideBySide, type TableComparison } from '../packages/synthesis/index.ts';
import { tableReport } from '../packages/tables/profile/profile.ts';
import { figuresBeside, keyFigures } from '../packages/words/figures.ts';
import { counted } from '../packages/words/wording.ts';
import type { Log } from '../service/ports.ts';
import { CliError, EXIT } from './exitCodes.ts';
import { expectWritable, readInput, write, writeOutput } from './files.ts';
import type { CompareCommand } from './parsedCommand.ts';
import { progressOf } from './progressView.ts';
import { requestOf } from './roles.ts';
import { failOn, metricsTable, showEstimate, textTable, verdictLines } from './tables.ts';

interface Compared {
  /** With its folder if both names are equal. */
  name: string;
  found: TableComparison;
}

/** Throws CliError, ServiceError, JobError, or the signal's reason. */
export async function compareHere(command: CompareCommand, signal: AbortSignal, log: Log): Promise<void> {
  const { report, encoding } = command;
  await expectWritable([report]);
  const real = await readInput(command.real);
  const holdout = command.holdout === null ? undefined : await readInput(command.holdout);
  const found = await inspect(real, { signal, encoding });
  const columns = tableReport(found);
  const request = requestOf(columns, {
    roles: command.roles,
    auto: command.auto || !namesColumns(command),
    settings: {},
  });
  if (command.estimate) {
    const rowsOf = async (file: File): Promise<number> => (await inspect(file, { signal, encoding })).rows;
    const held = holdout ? await rowsOf(holdout) : null;
    return showEstimates(command, async (path) =>
      found.estimateComparison(request, { synthetic: await rowsOf(await readInput(path)), holdout: held }),
    );
  }
  const view = progressOf(command, process.stderr);
  const onEvent = (event: JobEvent): void => {
    view.say(event);
    log.info(event.fact, { stage: event.stage, seconds: event.seconds });
  };
  const options = { holdout, encoding, seed: command.seed ?? undefined, signal, onEvent };
  const all: Compared[] = [];
  try {
    for (const path of command.synthetic) {
      const found = await compare(real, await readInput(path), request, options);
      all.push({ name: nameOf(path, command.synthetic), found });
    }
  } finally {
    view.end();
  }
  if (report !== null) await writeReport(all, report);
  show(all, command);
  for (const { found } of all) failOn(found.metrics, command, 'The tables are compared');
}

async function showEstimates(
  { synthetic, json }: CompareCommand,
  estimateOf: (path: string) => Promise<Estimate>,
): Promise<void> {
  for (const path of synthetic) {
    if (synthetic.length > 1 && !json) write(process.stdout, nameOf(path, synthetic));
    showEstimate(await estimateOf(path), { json, url: null });
  }
}

const namesColumns = ({ roles: { target, continuous, categorical, text } }: CompareCommand): boolean =>
  target !== null || [continuous, categorical, text].some((list) => list.length > 0);

const nameOf = (path: string, paths: readonly string[]): string =>
  paths.filter((other) => basename(other) === basename(path)).length > 1 ? path : basename(path);

async function writeReport(all: readonly Compared[], path: string): Promise<void> {
  const drawn = await Promise.all(all.map(async ({ name, found }) => ({ name, drawn: await found.report() })));
  const reports = drawn.flatMap(({ name, drawn: own }) => (own ? [{ name, report: own.data, html: own.html }] : []));
  const [first] = reports;
  if (!first || reports.length < all.length)
    throw new CliError(EXIT.output, 'No report could be made for these tables.');
  await writeOutput(new Blob([reports.length > 1 ? sideBySide(reports) : first.html]).stream(), path);
}

function show(all: readonly Compared[], command: CompareCommand): void {
  const [first, second] = all;
  if (!first) return;
  if (command.json) write(process.stdout, JSON.stringify(asJson(all, command), null, 2));
  if (command.json || command.quiet) return;
  if (second) showBeside(all);
  else showOne(first.found);
  const { metrics, columns } = first.found;
  const rows = all.map(({ found }) => counted(found.metrics.rows_generated, 'row')).join(' and ');
  write(process.stdout, `${rows} of ${counted(columns.length, 'column')}. ${metrics.measured_on?.summary ?? ''}`);
}

/** Two tables become a list with shared fields beside it. */
function asJson(all: readonly Compared[], { report }: CompareCommand): object {
  const tables = all.map(({ name, found: { metrics, verdicts } }) => {
    const figures = keyFigures(metrics).map((one) => ({ name: one.name, ...one.figure }));
    return { name, grade: worstGrade([...verdicts]), verdicts, figures, metrics };
  });
  const [one] = tables;
  const files = report === null ? {} : { files: { report } };
  const request = all[0]?.found.request;
  return tables.length > 1 ? { tables, request, ...files } : { ...one, request, ...files };
}

function showOne({ metrics, verdicts }: TableComparison): void {
  write(process.stdout, `${metricsTable(metrics)}\n`);
  for (const line of verdictLines(verdicts)) write(process.stdout, line);
}

function showBeside(all: readonly Compared[]): void {
  const { head, rows } = figuresBeside(all.map(({ name, found: { metrics } }) => ({ name, metrics })));
  write(process.stdout, `${textTable(head, rows)}\n`);
  for (const { name, found } of all) {
    write(process.stdout, name);
    for (const line of verdictLines(found.verdicts)) write(process.stdout, line);
  }
}
