import type { Finished, SyntheticTables } from '../packages/client/client.ts';
import type { GenerateRequestBody } from '../packages/client/contract.ts';
import { RefusedError } from '../packages/client/errors.ts';
import { pause } from '../packages/client/transport.ts';
import { entriesOf, logLines } from '../packages/words/events.ts';
import { queueText } from '../packages/words/wording.ts';
import { expectWritable, formatOf, pathsOf, readInput, write, writeOutput, writeReceipt } from './files.ts';
import type { MakeCommand, ResultOptions, SampleCommand } from './parsedCommand.ts';
import { progressOf } from './progressView.ts';
import { choiceLines, requestOf } from './roles.ts';
import { estimateLine, showColumns, showEstimate, showResult } from './tables.ts';

const STOP_TRIES = 30;
const STOP_PAUSE_MS = 300;

export async function make(service: SyntheticTables, command: MakeCommand, signal: AbortSignal): Promise<void> {
  if (!command.inspect && !command.estimate) await expectWritable(pathsOf(command));
  const file = await readInput(command.input);
  const upload = await service.upload(file, file.name, { signal, encoding: command.encoding });
  let isSent = false;
  try {
    if (command.inspect) return showColumns(upload, command);
    const request = { ...requestOf(upload, command), job_id: upload.job_id };
    if (command.estimate) return showEstimate(await service.estimate(request, { signal }), command);
    if (!command.quiet && !command.json) {
      for (const line of choiceLines(upload, request, command)) write(process.stderr, line);
      await sayHowLong(service, request, command, signal);
    }
    isSent = true;
    const started = await service.generate({ ...request, queue: command.queue }, { signal });
    if (!command.quiet) for (const warning of started.warnings ?? []) write(process.stderr, `warning: ${warning}`);
    await finish(service, upload.job_id, command, request, signal);
  } catch (error) {
    if (signal.aborted && isSent) await stop(service, upload.job_id);
    throw error;
  } finally {
    if (command.erase) await service.erase(upload.job_id);
  }
}

/** An interrupted start may still be under way. */
async function stop(service: SyntheticTables, jobId: string): Promise<void> {
  for (let tries = 0; tries < STOP_TRIES; tries++) {
    const stopped = await service.cancel(jobId).catch((error: unknown) => error);
    if (!(stopped instanceof RefusedError && stopped.code === 'job_conflict')) return;
    const { status } = await service.status(jobId);
    if (status === 'done' || status === 'failed') return;
    await pause(STOP_PAUSE_MS);
  }
}

/** What the service refuses, the start itself reports. */
async function sayHowLong(
  service: SyntheticTables,
  request: GenerateRequestBody,
  command: MakeCommand,
  signal: AbortSignal,
): Promise<void> {
  const found = await service.estimate(request, { signal }).catch(() => undefined);
  if (found) write(process.stderr, estimateLine(found, command));
}

/** Throws CliError, the client's errors, or the signal's reason. */
export async function finish(
  service: SyntheticTables,
  jobId: string,
  command: ResultOptions & { erase?: boolean },
  request: object,
  signal: AbortSignal,
): Promise<void> {
  const finished = await follow(service, jobId, command, signal);
  const key_id = await writeFiles(service, jobId, command, signal);
  const receipt = key_id === undefined ? undefined : { key_id, input_salt: finished.input_salt };
  const job_id = command.erase ? null : jobId;
  showResult({ ...finished, job_id, receipt, progress: logLines(finished, 'cli') }, request, command);
}

async function follow(
  service: SyntheticTables,
  jobId: string,
  command: ResultOptions,
  signal: AbortSignal,
): Promise<Finished> {
  const view = progressOf(command, process.stderr);
  let [seen, position] = [0, 0];
  try {
    return await service.wait(jobId, {
      signal,
      onProgress(status) {
        if (status.queue && status.queue.position !== position) view.say(queueText(status.queue));
        position = status.queue?.position ?? 0;
        const entries = entriesOf(status);
        for (const entry of entries.slice(seen)) view.say(entry);
        seen = entries.length;
      },
    });
  } finally {
    view.end();
  }
}

/** Reports and receipt exist even for withheld rows. Returns the id of the receipt's key. */
async function writeFiles(
  service: SyntheticTables,
  jobId: string,
  { report, reportForSharing, receipt, output }: ResultOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (report !== null) await writeOutput((await service.report(jobId, { signal })).body, report);
  if (reportForSharing !== null)
    await writeOutput((await service.report(jobId, { signal, for: 'sharing' })).body, reportForSharing);
  const signed = receipt === null ? undefined : await service.receipt(jobId, { signal });
  if (signed && receipt !== null) await writeReceipt(signed, receipt);
  await writeOutput((await service.download(jobId, { signal, format: formatOf(output) })).body, output);
  return signed?.signature.key_id;
}

// `synth sample JOB`. Throws as `finish` does.

export async function sample(service: SyntheticTables, command: SampleCommand, signal: AbortSignal): Promise<void> {
  const { n_samples: rows, n_entities, seed, conditions } = command.settings;
  const request = { rows, n_entities, seed, conditions };
  await expectWritable(pathsOf(command));
  // Waits even if aborted; otherwise nobody could stop the job.
  const { job_id } = await service.sample(command.jobId, { ...request, queue: command.queue });
  try {
    signal.throwIfAborted();
    await finish(service, job_id, command, request, signal);
  } catch (error) {
    if (signal.aborted) await service.cancel(job_id).catch(() => undefined);
    throw error;
  }
}
