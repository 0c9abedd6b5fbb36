/** Batch jobs by the name of their attempt. */

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

/** In the order in which a job goes through them, so that one that moves during the survey is met again. */
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

  /** Batch jobs of an attempt: one, or more where a submission was repeated. */
  async of(attempt: Attempt): Promise<JobSummary[]> {
    const name = batchNameOf(attempt);
    const found = await this.#list({ filters: [{ name: 'JOB_NAME', values: [name] }] });
    return found.filter((job) => job.jobName === name);
  }

  /** Ends the attempt's Batch jobs that are alive. They are not run again. */
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

  /** One that ran before waits since that run ended, which only its description says. */
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

/** The Batch job that is further along, of two for one attempt. */
function better(a: ComputeView | undefined, b: ComputeView): ComputeView {
  return a === undefined || RANK[b.phase] > RANK[a.phase] ? b : a;
}

// What the end of a Batch job means for the attempt that it ran, where the record does not say.

/** How the process ends where its record was written: found with a record that is active, the record was lost. */
const RECORDED: number[] = [EXIT.done, EXIT.failed, EXIT.over];

/** Where the description is gone. */
const STANDARD_TIMEOUT_SECONDS = 7200;

/** What a process that was killed with SIGKILL leaves, most often by the kernel for want of memory. */
const EXIT_OF_SIGKILL = 137;

interface EndedContainer {
  exitCode?: number | undefined;
  reason?: string | undefined;
}

/** What Batch says of a job that ended: its description, or the summary in a list, which says less. */
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

// What an attempt is called in Batch.

export const batchNameOf = ({ jobId, attempt }: Attempt): string => `job-${jobId}-${attempt}`;

/** The attempt of a Batch job's name, or undefined for a job that is not the service's. */
export function attemptOfBatchName(name: string): Attempt | undefined {
  const [, jobId, attempt] = /^job-(.+)-([1-9]\d*)$/.exec(name) ?? [];
  return jobId === undefined ? undefined : { jobId, attempt: Number(attempt) };
}

// Hands attempts over to AWS Batch: those with text columns to the GPU queue, all others to the CPU queue. SubmitJob
// is not idempotent. It is sent once; where no answer comes, the attempt is looked for by its name: SubmitJob ──▶
// accepted           started ──▶ refused            thrown: the request gives back what it took ──▶ no answer ──▶
// there      started ──▶ not there  thrown: should it turn up after all, its process finds the attempt over However
// many Batch jobs an attempt has, one process runs it: the first that claims its record.

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

/** When (ms after the loss) to look for a submission that was not answered: a list is a moment behind. */
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

  /** The record says already that the attempt is over, and its process ends itself: a failure here only costs time. */
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

  /** Whether a submission that was not answered is there. One that cannot be looked for counts as not there. */
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
