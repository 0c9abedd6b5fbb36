/** inspect → roles → compare → write: what `synth compare` does on this machine. */
import { worstGrade } from '../packages/contract/grades.ts';
import { compare, inspect, type JobEvent, type TableComparison } from '../packages/synthesis/index.ts';
import { tableReport } from '../packages/tables/profile/profile.ts';
import { keyFigures } from '../packages/words/figures.ts';
import { counted } from '../packages/words/wording.ts';
import type { Log } from '../service/ports.ts';
import { CliError, EXIT } from './exitCodes.ts';
import { expectWritable, readInput, write, writeOutput } from './files.ts';
import type { CompareCommand } from './parseOptions.ts';
import { progressOf } from './progressView.ts';
import { requestOf } from './roles.ts';
import { failOn, metricsTable, verdictLines } from './tables.ts';

/** Throws CliError, ServiceError, JobError, or the signal's reason. */
export async function compareHere(command: CompareCommand, signal: AbortSignal, log: Log): Promise<void> {
  const { report, encoding } = command;
  await expectWritable([report]);
  const [real, synthetic] = [await readInput(command.real), await readInput(command.synthetic)];
  const holdout = command.holdout === null ? undefined : await readInput(command.holdout);
  const columns = tableReport(await inspect(real, { signal, encoding }));
  const request = requestOf(columns, {
    roles: command.roles,
    auto: command.auto || !namesColumns(command),
    settings: {},
  });
  const view = progressOf(command, process.stderr);
  const onEvent = (event: JobEvent): void => {
    view.say(event);
    log.info(event.fact, { stage: event.stage, seconds: event.seconds });
  };
  const found = await compare(real, synthetic, request, {
    holdout,
    encoding,
    seed: command.seed ?? undefined,
    signal,
    onEvent,
  }).finally(() => view.end());
  if (report !== null) await writeReport(found, report);
  show(found, command);
  failOn(found.metrics, command, 'The tables are compared');
}

const namesColumns = ({ roles: { target, continuous, categorical, text } }: CompareCommand): boolean =>
  target !== null || [continuous, categorical, text].some((list) => list.length > 0);

async function writeReport(found: TableComparison, path: string): Promise<void> {
  const drawn = await found.report();
  if (!drawn) throw new CliError(EXIT.output, 'No report could be made for these tables.');
  await writeOutput(new Blob([drawn.html]).stream(), path);
}

function show({ metrics, verdicts, request, columns }: TableComparison, { json, quiet, report }: CompareCommand): void {
  if (json) {
    const figures = keyFigures(metrics).map(({ name, figure }) => ({ name, ...figure }));
    const said = { grade: worstGrade([...verdicts]), verdicts, figures, ...(report !== null && { files: { report } }) };
    write(process.stdout, JSON.stringify({ ...said, request, metrics }, null, 2));
  }
  if (json || quiet) return;
  write(process.stdout, `${metricsTable(metrics)}\n`);
  for (const line of verdictLines(verdicts)) write(process.stdout, line);
  const { summary = '' } = metrics.measured_on ?? {};
  write(
    process.stdout,
    `${counted(metrics.rows_generated, 'row')} of ${counted(columns.length, 'column')}. ${summary}`,
  );
}
