/** `synth sample JOB`: more rows from the model of a job of a service, as a job of its own. */
import type { SyntheticTables } from '../client/client.ts';
import { finish } from './finish.ts';
import type { SampleCommand } from './parseOptions.ts';

/** Throws CliError, the client's errors, or the signal's reason. */
export async function sample(service: SyntheticTables, command: SampleCommand, signal: AbortSignal): Promise<void> {
  const { rows, seed } = command;
  const request = { rows, seed };
  // The answer is waited for in any case: without it, nobody could stop what was started.
  const { job_id } = await service.sample(command.jobId, request);
  try {
    signal.throwIfAborted();
    await finish(service, job_id, command, request, signal);
  } catch (error) {
    if (signal.aborted) await service.cancel(job_id).catch(() => undefined);
    throw error;
  }
}
