/** upload → roles → generate → wait → write: what `synth TABLE` does, here or at a service. */
import type { SyntheticTables } from '../client/client.ts';
import type { GenerateRequestBody, UploadReply } from '../client/contract.ts';
import { RefusedError } from '../client/errors.ts';
import { pause } from '../client/pause.ts';
import { roleFields } from '../client/roles.ts';
import { chooseRoles } from './chooseRoles.ts';
import { CliError, EXIT } from './exitCodes.ts';
import { finish, write } from './finish.ts';
import type { MakeCommand } from './parseOptions.ts';
import { readInput } from './readInput.ts';
import { estimateLine, estimateText } from './showEstimate.ts';
import { columnsTable } from './tables.ts';

const STOP_TRIES = 30;
const STOP_PAUSE_MS = 300;

/** Throws CliError, the client's errors, or the signal's reason. */
export async function make(service: SyntheticTables, command: MakeCommand, signal: AbortSignal): Promise<void> {
  const { file, name } = await readInput(command.input);
  const upload = await service.upload(file, name, { signal });
  let isSent = false;
  try {
    if (command.inspect) return showColumns(upload, command);
    const request = requestOf(upload, command);
    if (command.estimate) return await showEstimate(service, request, command, signal);
    if (!command.quiet && !command.json) await sayHowLong(service, request, signal);
    isSent = true;
    await service.generate(request, { signal });
    await finish(service, upload.job_id, command, request, signal);
  } catch (error) {
    if (signal.aborted && isSent) await stop(service, upload.job_id);
    throw error;
  } finally {
    if (command.erase) await service.erase(upload.job_id);
  }
}

/** A start that was cut off may still be under way at the service: it is asked until there is one to stop. */
async function stop(service: SyntheticTables, jobId: string): Promise<void> {
  for (let tries = 0; tries < STOP_TRIES; tries++) {
    const stopped = await service.cancel(jobId).catch((error: unknown) => error);
    if (!(stopped instanceof RefusedError && stopped.code === 'job_conflict')) return;
    // It was not running when it was to be stopped, and may be by now.
    const { status } = await service.status(jobId);
    if (status === 'done' || status === 'failed') return;
    await pause(STOP_PAUSE_MS);
  }
}

function requestOf(upload: UploadReply, { roles, auto, settings }: MakeCommand): GenerateRequestBody {
  const fields = roleFields(chooseRoles(upload, roles, auto));
  if (fields.target_col === null && fields.text_cols.length === 0) {
    throw new CliError(EXIT.usage, 'A target or a text column is needed: name a numeric column by --target.');
  }
  return { n_samples: upload.n_rows, ...settings, ...fields, job_id: upload.job_id };
}

async function showEstimate(
  service: SyntheticTables,
  request: GenerateRequestBody,
  { json }: MakeCommand,
  signal: AbortSignal,
): Promise<void> {
  const estimate = await service.estimate(request, { signal });
  write(process.stdout, json ? JSON.stringify(estimate, null, 2) : estimateText(estimate));
}

/** A service of before there were estimates has none: what it refuses is told by the start itself. */
async function sayHowLong(service: SyntheticTables, request: GenerateRequestBody, signal: AbortSignal): Promise<void> {
  const found = await service.estimate(request, { signal }).catch(() => undefined);
  if (found) write(process.stderr, estimateLine(found));
}

function showColumns(upload: UploadReply, { json }: MakeCommand): void {
  const { job_id: _, ...said } = upload;
  write(process.stdout, json ? JSON.stringify(said, null, 2) : columnsTable(upload));
}
