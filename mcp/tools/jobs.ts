import { z } from 'zod';
import type { SyntheticTables } from '../../packages/client/client.ts';
import type { StatusReply } from '../../packages/client/contract.ts';
import { JobFailedError } from '../../packages/client/errors.ts';
import type { ListedJob } from '../../packages/contract/replies.ts';
import { compareRequestSchema, jobIdSchema, sampleRequestSchema } from '../../packages/contract/requests.ts';
import { entryText, logLines } from '../../packages/words/events.ts';
import { clip } from '../../packages/words/format.ts';
import { problemText } from '../../packages/words/problems.ts';
import { shareableStatus } from '../../packages/words/shareable.ts';
import { queueText } from '../../packages/words/wording.ts';
import { type Asking, OWNER_HINT, readable, refuseForOwner, statusFor, takesOwnerFigures } from '../forOwner.ts';
import { ADDS, DESTROYS, defineTool, type Extra, fitted, READS, takesDetail } from '../tool.ts';
import { placeText, takesQueue } from './generate.ts';

export const listJobs = defineTool({
  name: 'tables_list_jobs',
  title: 'List my jobs',
  description: 'The jobs of this key, newest first, with their state and latest line of progress.',
  input: {
    limit: z.int().min(1).max(100).default(10).describe('Number of jobs, 1 to 100; 10 by default.'),
    after: z.string().optional().describe('The value of next in the previous answer; the newest jobs by default.'),
    ...takesOwnerFigures,
  },
  output: {
    jobs: z.array(z.looseObject({ job_id: z.string(), status: z.string(), file_name: z.string() })),
    next: z.string().nullable(),
  },
  annotations: READS,
  async run(service, { limit, after, owner_figures }, { signal }) {
    const found = await service.jobs({ limit, ...(after !== undefined && { after }) }, { signal });
    const jobs = found.jobs.map((job) => (owner_figures ? inWords(job) : withoutFigures(inWords(job))));
    const lines = jobs.map(
      ({ job_id, status, file_name, created_at, progress }) =>
        `${job_id} ${status} ${file_name} (${created_at})${progress === null ? '' : `: ${progress}`}`,
    );
    return { text: lines.length > 0 ? lines.join('\n') : 'There are no jobs yet.', data: { jobs, next: found.next } };
  },
});

/** So short that ten jobs fit into an answer. */
function inWords(job: ListedJob) {
  const {
    job_id: jobId,
    sample_of: sampleOf,
    compared_with: comparedWith,
    event,
    progress,
    error,
    file_name,
    ...facts
  } = job;
  const line = event ? entryText(event, 'mcp') : progress;
  return {
    job_id: jobId,
    file_name: clip(file_name, 80),
    ...facts,
    ...(sampleOf !== undefined && { sample_of: sampleOf }),
    ...(comparedWith !== undefined && { compared_with: comparedWith }),
    progress: line === null ? null : clip(line, 120),
    error: error && { code: error.code, message: clip(problemText(error, 'mcp', { jobId, sampleOf }), 150) },
  };
}

/** File size and latest step of a private job reveal real rows. */
function withoutFigures(job: ReturnType<typeof inWords>) {
  if (!job.figures_for_owner) return job;
  const { file_bytes: _, error, ...own } = job;
  return { ...own, progress: null, error: error && { code: error.code, message: OWNER_HINT } };
}

export const cancelJob = defineTool({
  name: 'tables_cancel_job',
  title: 'Stop a running job',
  description: 'Stops a running job. tables_generate can start it again.',
  input: { job_id: jobIdSchema },
  output: { job_id: z.string(), status: z.string() },
  annotations: DESTROYS,
  async run(service, { job_id }, { signal }) {
    const { status } = await service.cancel(job_id, { signal });
    return { text: `Job ${job_id} was stopped; it is ${status}.`, data: { job_id, status } };
  },
});

export const eraseJob = defineTool({
  name: 'tables_erase_job',
  title: 'Erase a job',
  description: 'Permanently deletes a job: its upload, result and record. This cannot be undone.',
  input: { job_id: jobIdSchema },
  output: { job_id: z.string(), status: z.string() },
  annotations: DESTROYS,
  async run(service, { job_id }, { signal }) {
    const { status } = await service.erase(job_id, { signal });
    return { text: `Job ${job_id} is ${status}.`, data: { job_id, status } };
  },
});

export const sample = defineTool({
  name: 'tables_sample',
  title: 'More rows from a finished job',
  description:
    'Draws more rows from the model of a finished job without fitting it again. Answers at once with the job_id of the new rows. Next: tables_status, then tables_read_rows.',
  input: { job_id: jobIdSchema, ...sampleRequestSchema.shape, queue: takesQueue },
  output: { job_id: z.string(), status: z.string(), sample_of: z.string() },
  annotations: ADDS,
  async run(service, { job_id: source, ...request }, { signal }) {
    const { job_id, status, sample_of } = await service.sample(source, request, { signal });
    return {
      text: `Job ${job_id} ${status}: rows from the model of job ${sample_of}.${await placeText(service, job_id, status, signal)}`,
      data: { job_id, status, sample_of },
    };
  },
});

export const compare = defineTool({
  name: 'tables_compare',
  title: 'Judge a synthetic table that was made anywhere',
  description:
    'Judges an uploaded synthetic table (job_id) beside an uploaded real one (real_job_id) and, best, real rows that whoever made it did not see (holdout_job_id): fidelity, utility and privacy attacks. Roles are those of the real table’s columns. Answers at once; job_id becomes the comparison. Next: tables_status, then tables_read_report.',
  input: { ...compareRequestSchema.shape, queue: takesQueue, ...takesOwnerFigures },
  output: { job_id: z.string(), status: z.string(), compared_with: z.string() },
  annotations: ADDS,
  async run(service, { owner_figures, ...request }, { signal }) {
    for (const jobId of [request.real_job_id, request.holdout_job_id]) {
      const asking = { tool: 'tables_compare', ownerFigures: owner_figures, signal };
      if (jobId !== null) await refuseForOwner(service, { ...asking, jobId });
    }
    const { job_id, status, compared_with } = await service.compare(request, { signal });
    return {
      text: `Job ${job_id} ${status}: its upload beside that of job ${compared_with}.${await placeText(service, job_id, status, signal)}`,
      data: { job_id, status, compared_with },
    };
  },
});

const WAIT = { most: 50, standard: 20 };

export const status = defineTool({
  name: 'tables_status',
  title: 'Wait for a job and say how far it is',
  description:
    'Waits for a job to end, with a progress notification for each new line, and answers with its state and latest lines. If the job is still running when the time is up, call it again. When the job is done, next: tables_read_report and tables_read_rows.',
  input: {
    job_id: jobIdSchema,
    wait_seconds: z
      .int()
      .min(0)
      .max(WAIT.most)
      .default(WAIT.standard)
      .describe(`Longest time to wait, 0 to ${WAIT.most} seconds; ${WAIT.standard} by default. 0 does not wait.`),
    ...takesDetail,
    ...takesOwnerFigures,
  },
  output: {
    job_id: z.string(),
    status: z.string(),
    ended: z.boolean(),
    progress: z.array(z.string()),
    error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
  },
  annotations: READS,
  async run(service, { job_id, wait_seconds, detail, owner_figures }, extra) {
    const asking = { tool: 'tables_status', jobId: job_id, ownerFigures: owner_figures, signal: extra.signal };
    // Refuses a comparison before waiting.
    await statusFor(service, asking);
    const found = await readable(service, await waitFor(service, wait_seconds, asking, extra), asking);
    const { status, error, sample_of } = found;
    const ended = status === 'done' || status === 'failed';
    const lines = logLines(found, 'mcp');
    const place = found.queue ? ` ${queueText(found.queue)}.` : '';
    const next = ended || status === 'uploaded' ? '' : `${place} It has not ended yet: call tables_status again.`;
    const message = error ? problemText(error, 'mcp', { jobId: job_id, sampleOf: sample_of }) : '';
    const failure = error ? ` ${error.code}: ${message}` : '';
    const build = (shown: number) => {
      const progress = lines.slice(lines.length - shown);
      const text = [`Job ${job_id} is ${status}.${failure}${next}`, ...progress].join('\n');
      return { text, data: { job_id, status, ended, progress, error: error && { code: error.code, message } } };
    };
    return detail === 'full' ? build(lines.length) : fitted(Math.min(lines.length, MAX_LINES), build, 0);
  },
});

const MAX_LINES = 20;

const UNDER_WAY: readonly StatusReply['status'][] = ['queued', 'started', 'running'];

async function waitFor(
  service: SyntheticTables,
  seconds: number,
  { jobId, ownerFigures }: Asking,
  extra: Extra,
): Promise<StatusReply> {
  const first = await service.status(jobId, { signal: extra.signal });
  if (seconds === 0 || !UNDER_WAY.includes(first.status)) return first;
  const over = AbortSignal.timeout(seconds * 1000);
  const signal = AbortSignal.any([over, extra.signal]);
  const onProgress = (status: StatusReply, { length }: readonly string[]) => {
    if (length > 0) void notify(extra, ownerFigures ? status : shareableStatus(status));
  };
  try {
    return await service.wait(jobId, { signal, onProgress, pollMs: { first: 250, most: 2000 } });
  } catch (error) {
    if (!over.aborted && !(error instanceof JobFailedError)) throw error;
    return service.status(jobId, { signal: extra.signal });
  }
}

async function notify({ _meta, sendNotification }: Extra, status: StatusReply): Promise<void> {
  const progressToken = _meta?.progressToken;
  const message = logLines(status, 'mcp').at(-1);
  if (progressToken === undefined || message === undefined) return;
  const params = { progressToken, progress: status.progress.length, message };
  await sendNotification({ method: 'notifications/progress', params });
}
