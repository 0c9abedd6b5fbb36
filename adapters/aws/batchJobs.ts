import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BatchClient,
  DescribeJobsCommand,
  type JobDetail,
  type JobStatus,
  type JobSummary,
  paginateListJobs,
  SubmitJobCommand,
  TerminateJobCommand,
} from '@aws-sdk/client-batch';
import type { JobFailure } from '../../packages/contract/problems.ts';
import { ENV } from '../../service/job/environment.ts';
import {
  crashed,
  EXIT,
  EXIT_FAILURES,
  INTERNAL_ERROR,
  KILLED,
  NO_COMPUTE,
  OUT_OF_MEMORY,
  RECLAIMED,
  timedOut,
  VANISHED,
} from '../../service/job/failures.ts';
import { type Attempt, type Job, slotOf } from '../../service/job/job.ts';
import type { Compute, ComputeView } from '../../service/job/reconcile.ts';
import type { JobQueue, JobStore, Log } from '../../service/ports.ts';
import { awsError, guarded, isRefused, isThrottled, withRetries } from './awsErrors.ts';

/** In life-cycle order, so that a survey cannot miss a job that moves. */
const WAITING: JobStatus[] = ['SUBMITTED', 'PENDING', 'RUNNABLE', 'STARTING'];
const ALIVE: JobStatus[] = [...WAITING, 'RUNNING'];

export class BatchJobs implements Compute {
  readonly #client: BatchClient;
  readonly #queues: readonly string[];

  constructor(client: BatchClient, queues: readonly string[]) {
    this.#client = client;
    this.#queues = queues;
  }

  async survey(): Promise<Map<string, ComputeView>> {
    const views = new Map<string, ComputeView>();
    for (const jobStatus of ALIVE) {
      for (const job of await this.#list({ jobStatus })) {
        const attempt = attemptOfBatchName(job.jobName ?? '');
        if (!attempt) continue;
        const slot = slotOf(attempt.jobId, attempt.attempt);
        views.set(slot, better(views.get(slot), await this.#viewOf(job)));
      }
    }
    return views;
  }

  async look(attempt: Attempt): Promise<ComputeView> {
    let view: ComputeView = { phase: 'absent' };
    for (const job of await this.of(attempt)) view = better(view, await this.#viewOf(job));
    return view;
  }

  /** Returns several after a repeated submission. */
  async of(attempt: Attempt): Promise<JobSummary[]> {
    const name = batchNameOf(attempt);
    const found = await this.#list({ filters: [{ name: 'JOB_NAME', values: [name] }] });
    return found.filter((job) => job.jobName === name);
  }

  async terminate(attempt: Attempt, reason: string): Promise<void> {
    for (const { jobId, status } of await this.of(attempt)) {
      if (status && ALIVE.includes(status)) {
        await guarded('compute', () => this.#client.send(new TerminateJobCommand({ jobId, reason })));
      }
    }
  }

  async #list(
    query: { jobStatus: JobStatus } | { filters: { name: string; values: string[] }[] },
  ): Promise<JobSummary[]> {
    const found: JobSummary[] = [];
    for (const jobQueue of this.#queues) {
      const pages = paginateListJobs({ client: this.#client }, { jobQueue, ...query });
      await guarded('compute', async () => {
        for await (const { jobSummaryList } of pages) found.push(...(jobSummaryList ?? []));
      });
    }
    return found;
  }

  async #viewOf(job: JobSummary): Promise<ComputeView> {
    if (job.status === 'RUNNING') return { phase: 'running' };
    if (job.status === 'SUCCEEDED' || job.status === 'FAILED') {
      return { phase: 'ended', failure: failureOfBatchJob((await this.#describe(job)) ?? job) };
    }
    return { phase: 'waiting', since: await this.#waitingSince(job) };
  }

  /** A job that ran before waits since that run's end. */
  async #waitingSince(job: JobSummary): Promise<number> {
    const created = job.createdAt ?? Date.now();
    if (job.startedAt === undefined && job.stoppedAt === undefined) return created;
    const ends = (await this.#describe(job))?.attempts?.map(({ stoppedAt }) => stoppedAt ?? 0) ?? [];
    return Math.max(created, ...ends);
  }

  async #describe({ jobId = '' }: JobSummary): Promise<JobDetail | undefined> {
    const { jobs } = await guarded('compute', () => this.#client.send(new DescribeJobsCommand({ jobs: [jobId] })));
    return jobs?.[0];
  }
}

const RANK = { absent: 0, ended: 1, waiting: 2, running: 3 } as const;

function better(a: ComputeView | undefined, b: ComputeView): ComputeView {
  return a === undefined || RANK[b.phase] > RANK[a.phase] ? b : a;
}

/** These processes recorded their end; if the record is active, it was lost. */
const RECORDED: number[] = [EXIT.done, EXIT.failed, EXIT.over];

const STANDARD_TIMEOUT_SECONDS = 7200;

/** Usually by the kernel, for lack of memory. */
const EXIT_OF_SIGKILL = 137;

interface EndedContainer {
  exitCode?: number | undefined;
  reason?: string | undefined;
}

interface EndedJob {
  statusReason?: string | undefined;
  startedAt?: number | undefined;
  container?: EndedContainer | undefined;
  attempts?: { container?: EndedContainer | undefined }[] | undefined;
  timeout?: { attemptDurationSeconds?: number | undefined } | undefined;
}

export function failureOfBatchJob(job: EndedJob): JobFailure {
  const reason = job.statusReason ?? '';
  const container = job.attempts?.at(-1)?.container ?? job.container;
  const { exitCode } = container ?? {};
  if (/attempt duration exceeded timeout/i.test(reason))
    return timedOut(job.timeout?.attemptDurationSeconds ?? STANDARD_TIMEOUT_SECONDS);
  if (/OutOfMemory/i.test(container?.reason ?? '')) return OUT_OF_MEMORY;
  if (/^Host EC2|spot/i.test(reason)) return RECLAIMED;
  if (exitCode === undefined) return job.startedAt ? VANISHED : NO_COMPUTE;
  if (exitCode === EXIT_OF_SIGKILL) return KILLED;
  if (RECORDED.includes(exitCode)) return INTERNAL_ERROR;
  return EXIT_FAILURES[exitCode] ?? crashed(`code ${exitCode}`);
}

export const batchNameOf = ({ jobId, attempt }: Attempt): string => `job-${jobId}-${attempt}`;

export function attemptOfBatchName(name: string): Attempt | undefined {
  const [, jobId, attempt] = /^job-(.+)-([1-9]\d*)$/.exec(name) ?? [];
  return jobId === undefined ? undefined : { jobId, attempt: Number(attempt) };
}

// SubmitJob is not idempotent, so it is sent once. Without an answer, looks for the attempt by name; if it is missing,
// throws, and a job that appears later finds its attempt over. Only the first Batch job that claims the record runs it.

export interface BatchTarget {
  queue: string;
  definition: string;
}

interface BatchJobQueueParts {
  submission: BatchClient;
  batchJobs: BatchJobs;
  jobs: Pick<JobStore, 'find'>;
  gpu: BatchTarget;
  cpu: BatchTarget;
  log: Log;
}

/** Waits before each look (ms), since lists lag. */
const LOOKS_MS = [200, 800, 2000];

export class BatchJobQueue implements JobQueue {
  readonly #parts: BatchJobQueueParts;

  constructor(parts: BatchJobQueueParts) {
    this.#parts = parts;
  }

  async submit(jobId: string, attempt: number): Promise<void> {
    const job = await this.#parts.jobs.find(jobId);
    if (!job) throw new Error(`job ${jobId} is handed over and has no record`);
    const command = this.#commandFor(job, { jobId, attempt });
    try {
      const rule = { isPassing: isThrottled, tries: 4, firstWaitMs: 200, maxWaitMs: 2000 };
      await withRetries(rule, () => this.#parts.submission.send(command));
    } catch (error) {
      if (!isRefused(error) && (await this.#arrived({ jobId, attempt }))) return;
      throw awsError(error, 'compute');
    }
  }

  /** A failure only costs time: the record has ended, so the process exits by itself. */
  async cancel(jobId: string, attempt: number): Promise<void> {
    try {
      await this.#parts.batchJobs.terminate({ jobId, attempt }, 'The attempt is over.');
    } catch (error) {
      this.#parts.log.error('compute_not_ended', { job_id: jobId, attempt, fault: String(error) });
    }
  }

  #commandFor(job: Job, attempt: Attempt): SubmitJobCommand {
    const { gpu, cpu } = this.#parts;
    const target = job.request && job.request.text_cols.length > 0 ? gpu : cpu;
    return new SubmitJobCommand({
      jobName: batchNameOf(attempt),
      jobQueue: target.queue,
      jobDefinition: target.definition,
      containerOverrides: {
        environment: [
          { name: ENV.jobId, value: attempt.jobId },
          { name: ENV.jobAttempt, value: String(attempt.attempt) },
        ],
      },
      propagateTags: true,
      tags: { client: job.keyId, job: job.id },
    });
  }

  /** A submission that cannot be looked up counts as lost. */
  async #arrived(attempt: Attempt): Promise<boolean> {
    for (const wait of LOOKS_MS) {
      await sleep(wait);
      const found = await this.#parts.batchJobs.of(attempt).catch(() => []);
      if (found.length > 0) return true;
    }
    this.#parts.log.error('submission_lost', { job_id: attempt.jobId, attempt: attempt.attempt });
    return false;
  }
}
