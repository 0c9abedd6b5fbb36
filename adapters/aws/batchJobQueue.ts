/**
 * Hands attempts over to AWS Batch: those with text columns to the GPU queue, all others to the CPU queue.
 *
 * SubmitJob is not idempotent. It is sent once; where no answer comes, the attempt is looked for by its name:
 *
 *   SubmitJob ──▶ accepted           started
 *             ──▶ refused            thrown: the request gives back what it took
 *             ──▶ no answer ──▶ there      started
 *                           ──▶ not there  thrown: should it turn up after all, its process finds the attempt over
 *
 * However many Batch jobs an attempt has, one process runs it: the first that claims its record.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type BatchClient, SubmitJobCommand } from '@aws-sdk/client-batch';
import { ENV } from '../../domain/job/environment.ts';
import type { Attempt, Job } from '../../domain/job/job.ts';
import type { JobQueue, JobStore, Log } from '../../domain/ports.ts';
import { awsError, isRefused, isThrottled } from './awsErrors.ts';
import type { BatchJobs } from './batchJobs.ts';
import { batchNameOf } from './batchNames.ts';
import { withRetries } from './retry.ts';

export interface BatchTarget {
  queue: string;
  definition: string;
}

export interface BatchJobQueueParts {
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
