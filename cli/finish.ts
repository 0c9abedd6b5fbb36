/** follow → write → say: the end of what `synth` starts, here or at a service. */
import type { SyntheticTables } from '../client/client.ts';
import type { Finished } from '../client/waitFor.ts';
import type { ResultOptions } from './parseOptions.ts';
import { showProgress } from './showProgress.ts';
import { metricsTable } from './tables.ts';
import { writeOutput } from './writeOutput.ts';

/** By the end of the file's name; csv for any other. */
const FORMATS = ['jsonl', 'parquet', 'xlsx'] as const;

export const write = (stream: NodeJS.WriteStream, text: string) => void stream.write(`${text}\n`);

/** Follows the job to its end and writes what was asked for. Throws CliError, the client's errors, or the signal's reason. */
export async function finish(
  service: SyntheticTables,
  jobId: string,
  command: ResultOptions,
  request: object,
  signal: AbortSignal,
): Promise<void> {
  const finished = await follow(service, jobId, command, signal);
  await writeFiles(service, jobId, command, signal);
  showResult(finished, request, command);
}

async function follow(
  service: SyntheticTables,
  jobId: string,
  { quiet, json }: ResultOptions,
  signal: AbortSignal,
): Promise<Finished> {
  if (quiet || json) return service.wait(jobId, { signal });
  const view = showProgress(process.stderr, () => performance.now());
  try {
    return await service.wait(jobId, {
      signal,
      onProgress(_, lines) {
        for (const line of lines) view.say(line);
      },
    });
  } finally {
    view.end();
  }
}

/** The report and the receipt before the table: they are there as well where the table's rows are withheld. */
async function writeFiles(
  service: SyntheticTables,
  jobId: string,
  { report, receipt, output }: ResultOptions,
  signal: AbortSignal,
): Promise<void> {
  if (report !== null) await writeOutput((await service.report(jobId, { signal })).body, report);
  if (receipt !== null) {
    const text = `${JSON.stringify(await service.receipt(jobId, { signal }), null, 2)}\n`;
    await writeOutput(new Blob([text]).stream(), receipt);
  }
  const format = FORMATS.find((name) => output.toLowerCase().endsWith(`.${name}`)) ?? 'csv';
  await writeOutput((await service.download(jobId, { signal, format })).body, output);
}

/** Where the table itself goes to standard output, what is said of it goes to standard error. */
function showResult({ metrics, job_id, progress }: Finished, request: object, command: ResultOptions): void {
  const { output, json, quiet } = command;
  if (json) write(process.stdout, JSON.stringify({ job_id, output, request, metrics, progress }, null, 2));
  if (json || quiet) return;
  const stream = output === '-' ? process.stderr : process.stdout;
  write(stream, `${metricsTable(metrics)}\n`);
  const warning = metrics.regression && !metrics.regression.converged ? [metrics.regression.summary] : [];
  for (const line of warning) write(stream, `warning: ${line}`);
  const rows = `${metrics.rows_generated} rows of ${metrics.columns.length} columns`;
  write(stream, `${rows}, seed ${metrics.seed}${output === '-' ? '' : ` → ${output}`}`);
}
