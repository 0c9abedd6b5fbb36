/** Polls a job until it ends: often at first and while it says something new, seldom while it is quiet. */
import type { JobMetrics, StatusReply } from './contract.ts';
import { JobFailedError, NotStartedError } from './errors.ts';
import { pause } from './pause.ts';

export interface WaitOptions {
  signal?: AbortSignal | undefined;
  /** Called with every answer; `lines` are those that the answer before did not have. */
  onProgress?: (status: StatusReply, lines: readonly string[]) => void;
  /** Milliseconds between two questions: at first, and at most. 250 and 5,000 where left out. */
  pollMs?: { first: number; most: number };
}

export type Finished = StatusReply & { status: 'done'; metrics: JobMetrics };

const POLL_MS = { first: 250, most: 5000 };
const GROWTH = 1.4;

export async function waitFor(
  ask: (signal: AbortSignal | undefined) => Promise<StatusReply>,
  { signal, onProgress, pollMs = POLL_MS }: WaitOptions,
): Promise<Finished> {
  let seen = 0;
  for (let ms = pollMs.first; ; ms = Math.min(pollMs.most, ms * GROWTH)) {
    const status = await ask(signal);
    const lines = status.progress.slice(seen);
    onProgress?.(status, lines);
    if (isFinished(status)) return status;
    refuseEnded(status);
    if (lines.length > 0) ms = pollMs.first;
    seen = status.progress.length;
    await pause(ms, signal);
  }
}

const isFinished = (status: StatusReply): status is Finished =>
  status.status === 'done' && status.metrics !== undefined;

function refuseEnded({ job_id, status, error }: StatusReply): void {
  if (status === 'uploaded') {
    throw new NotStartedError(`Job ${job_id} has not been started. Call generate with this job_id first.`);
  }
  if (status === 'failed') {
    throw new JobFailedError(job_id, error?.code ?? 'internal_error', error?.message ?? 'The job failed.');
  }
}
