import { z } from 'zod';
import type { SyntheticTables } from '../../client/client.ts';
import type { StatusReply } from '../../client/contract.ts';
import { JobFailedError } from '../../client/errors.ts';
import { jobIdSchema } from '../../domain/schema/generateRequest.ts';
import { defineTool, type Extra } from '../tool.ts';

const WAIT = { most: 50, standard: 20 };

export const follow = defineTool({
  name: 'follow',
  title: 'Follow a job',
  description:
    'Waits for a job to end, with a progress notification for each new line, and answers with its state and its latest lines. Where the job is still running when the time is over, call it again. Next, when it is done: fetch_rows and fetch_report.',
  input: {
    job_id: jobIdSchema,
    wait_seconds: z
      .int()
      .min(0)
      .max(WAIT.most)
      .default(WAIT.standard)
      .describe(`How long to wait at most, 0 to ${WAIT.most}; ${WAIT.standard} where left out. 0 only looks.`),
  },
  output: {
    job_id: z.string(),
    status: z.string(),
    ended: z.boolean(),
    progress: z.array(z.string()),
    error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
  async run(service, { job_id, wait_seconds }, extra) {
    const { status, progress, error } = await waitFor(service, job_id, wait_seconds, extra);
    const ended = status === 'done' || status === 'failed';
    const latest = progress.slice(-20);
    const next = ended || status === 'uploaded' ? '' : ' It is still running: call follow again.';
    const failure = error ? ` ${error.code}: ${error.message}` : '';
    const text = [`Job ${job_id} is ${status}.${failure}${next}`, ...latest].join('\n');
    return { text, data: { job_id, status, ended, progress: latest, error } };
  },
});

/** The job when it has ended or the time is over. */
async function waitFor(service: SyntheticTables, jobId: string, seconds: number, extra: Extra): Promise<StatusReply> {
  const first = await service.status(jobId, { signal: extra.signal });
  if (seconds === 0 || (first.status !== 'started' && first.status !== 'running')) return first;
  const over = AbortSignal.timeout(seconds * 1000);
  const signal = AbortSignal.any([over, extra.signal]);
  const onProgress = (status: StatusReply, lines: readonly string[]) => void notify(extra, status, lines);
  try {
    return await service.wait(jobId, { signal, onProgress, pollMs: { first: 250, most: 2000 } });
  } catch (error) {
    if (!over.aborted && !(error instanceof JobFailedError)) throw error;
    return service.status(jobId, { signal: extra.signal });
  }
}

async function notify(
  { _meta, sendNotification }: Extra,
  status: StatusReply,
  lines: readonly string[],
): Promise<void> {
  const progressToken = _meta?.progressToken;
  const message = lines.at(-1);
  if (progressToken === undefined || message === undefined) return;
  const params = { progressToken, progress: status.progress.length, message };
  await sendNotification({ method: 'notifications/progress', params });
}
