/** upload → roles → generate → wait → write: what `synth TABLE` does, here or at a service. */
import type { SyntheticTables } from '../client/client.ts';
import type { GenerateRequestBody, UploadReply } from '../client/contract.ts';
import { roleFields } from '../client/roles.ts';
import type { Finished } from '../client/waitFor.ts';
import { chooseRoles } from './chooseRoles.ts';
import { CliError, EXIT } from './exitCodes.ts';
import type { MakeCommand } from './parseOptions.ts';
import { readInput } from './readInput.ts';
import { showProgress } from './showProgress.ts';
import { columnsTable, metricsTable } from './tables.ts';
import { writeOutput } from './writeOutput.ts';

/** By the end of the file's name; csv for any other. */
const FORMATS = ['jsonl', 'parquet', 'xlsx'] as const;

const write = (stream: NodeJS.WriteStream, text: string) => void stream.write(`${text}\n`);

/** Throws CliError, the client's errors, or the signal's reason. */
export async function make(service: SyntheticTables, command: MakeCommand, signal: AbortSignal): Promise<void> {
  const { file, name } = await readInput(command.input);
  const upload = await service.upload(file, name, { signal });
  try {
    if (command.inspect) return showColumns(upload, command);
    const request = requestOf(upload, command);
    await service.generate(request, { signal });
    const finished = await follow(service, upload.job_id, command, signal);
    await writeFiles(service, upload.job_id, command, signal);
    showResult(finished, request, command);
  } catch (error) {
    if (signal.aborted) await service.cancel(upload.job_id).catch(() => undefined);
    throw error;
  } finally {
    if (command.erase) await service.erase(upload.job_id);
  }
}

function requestOf(upload: UploadReply, { roles, auto, settings }: MakeCommand): GenerateRequestBody {
  const fields = roleFields(chooseRoles(upload, roles, auto));
  if (fields.target_col === null && fields.text_cols.length === 0) {
    throw new CliError(EXIT.usage, 'A target or a text column is needed: name a numeric column by --target.');
  }
  return { n_samples: upload.n_rows, ...settings, ...fields, job_id: upload.job_id };
}

async function follow(
  service: SyntheticTables,
  jobId: string,
  { quiet, json }: MakeCommand,
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
  { report, receipt, output }: MakeCommand,
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

function showColumns(upload: UploadReply, { json }: MakeCommand): void {
  const { job_id: _, ...said } = upload;
  write(process.stdout, json ? JSON.stringify(said, null, 2) : columnsTable(upload));
}

/** Where the table itself goes to standard output, what is said of it goes to standard error. */
function showResult({ metrics, job_id, progress }: Finished, request: GenerateRequestBody, command: MakeCommand): void {
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
