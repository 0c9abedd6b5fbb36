/** Batch jobs by the name of their attempt. */
import {
  type BatchClient,
  DescribeJobsCommand,
  type JobDetail,
  type JobStatus,
  type JobSummary,
  paginateListJobs,
  TerminateJobCommand,
} from '@aws-sdk/client-batch';
import { type Attempt, slotOf } from '../../domain/job/job.ts';
import type { ComputeView } from '../../domain/job/judgeAttempt.ts';
import type { Compute } from '../../domain/job/reconcileAttempts.ts';
import { awsError } from './awsErrors.ts';
import { failureOfBatchJob } from './batchEnding.ts';
import { attemptOfBatchName, batchNameOf } from './batchNames.ts';

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
        await guarded(() => this.#client.send(new TerminateJobCommand({ jobId, reason })));
      }
    }
  }

  async #list(
    query: { jobStatus: JobStatus } | { filters: { name: string; values: string[] }[] },
  ): Promise<JobSummary[]> {
    const found: JobSummary[] = [];
    for (const jobQueue of this.#queues) {
      const pages = paginateListJobs({ client: this.#client }, { jobQueue, ...query });
      await guarded(async () => {
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
    const { jobs } = await guarded(() => this.#client.send(new DescribeJobsCommand({ jobs: [jobId] })));
    return jobs?.[0];
  }
}

const RANK = { absent: 0, ended: 1, waiting: 2, running: 3 } as const;

/** Of two Batch jobs of one attempt the one that is more alive speaks for it. */
function better(a: ComputeView | undefined, b: ComputeView): ComputeView {
  return a === undefined || RANK[b.phase] > RANK[a.phase] ? b : a;
}

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw awsError(error, 'compute');
  }
}
