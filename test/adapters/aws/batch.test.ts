import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attemptOfBatchName, BatchJobQueue, BatchJobs, batchNameOf } from '../../../adapters/aws/batchJobs.ts';
import type { GenerateRequest } from '../../../packages/contract/requests.ts';
import type { JobStore } from '../../../service/ports.ts';
import { type FakeBatch, startFakeBatch } from '../../support/fakeBatch.ts';
import { newJob, requestFor } from '../../support/jobFixtures.ts';
import { recordingLog } from '../../support/localQueue.ts';
import { memoryService } from '../../support/memoryService.ts';

let batch: FakeBatch;
let batchJobs: BatchJobs;
let queue: BatchJobQueue;
let jobs: JobStore;

beforeEach(async () => {
  batch = await startFakeBatch();
  batchJobs = new BatchJobs(batch.client, ['gpu', 'cpu']);
  jobs = memoryService().jobs;
  queue = new BatchJobQueue({
    submission: batch.client,
    batchJobs,
    jobs,
    gpu: { queue: 'gpu', definition: 'gpu-definition' },
    cpu: { queue: 'cpu', definition: 'cpu-definition' },
    log: recordingLog().log,
  });
});
afterEach(() => batch.close());

async function started(id: string, request: Partial<GenerateRequest> = {}): Promise<void> {
  await jobs.create(newJob(id));
  await jobs.start(id, 1, { ...requestFor(id), ...request }, '2026-11-03T09:00:00Z');
}

describe('BatchJobQueue', () => {
  it('submits a job with text to the GPU queue and any other to the CPU queue, told which attempt it is', async () => {
    await started('plain');
    await started('wordy', { text_cols: ['t'] });
    await queue.submit('plain', 1);
    await queue.submit('wordy', 1);
    expect(batch.jobs.map(({ submitted: s }) => [s.jobName, s.jobQueue, s.jobDefinition])).toEqual([
      ['job-plain-1', 'cpu', 'cpu-definition'],
      ['job-wordy-1', 'gpu', 'gpu-definition'],
    ]);
    expect(batch.jobs[1]?.submitted).toMatchObject({
      tags: { client: 'key-1', job: 'wordy' },
      propagateTags: true,
      containerOverrides: {
        environment: [
          { name: 'JOB_ID', value: 'wordy' },
          { name: 'JOB_ATTEMPT', value: '1' },
        ],
      },
    });
  });

  it('submits once where the answer is lost, and finds the job by its name', async () => {
    await started('a');
    batch.faults.submitjob = ['done, no answer'];
    await queue.submit('a', 1);
    expect(batch.jobs).toHaveLength(1);
    expect(batch.calls.filter((call) => call === 'submitjob')).toHaveLength(1);
  });

  it('says that compute is unavailable where a submission is not answered and not found', async () => {
    await started('a');
    batch.faults.submitjob = ['no answer'];
    await expect(queue.submit('a', 1)).rejects.toMatchObject({
      code: 'compute_unavailable',
      params: { seconds: 5 },
    });
  });

  it('sends a throttled submission again, and says that the service is busy where that does not help', async () => {
    await started('a');
    batch.faults.submitjob = [429];
    await queue.submit('a', 1);
    expect(batch.jobs).toHaveLength(1);
    batch.faults.submitjob = [429, 429, 429, 429];
    await expect(queue.submit('a', 1)).rejects.toMatchObject({ code: 'service_busy' });
    expect(batch.jobs).toHaveLength(1);
  });

  it('does not look for a submission that was refused', async () => {
    await started('a');
    batch.faults.submitjob = [400];
    await expect(queue.submit('a', 1)).rejects.toMatchObject({ name: 'ClientException' });
    expect(batch.calls).toEqual(['submitjob']);
  });

  it('ends every Batch job of a cancelled attempt that is alive, and no other', async () => {
    for (const id of ['a', 'b']) await started(id);
    for (const id of ['a', 'a', 'b']) await queue.submit(id, 1);
    batch.jobs[0]!.status = 'RUNNING';
    await queue.cancel('a', 1);
    await queue.cancel('a', 1);
    await queue.cancel('absent', 1);
    expect(batch.jobs.map(({ status }) => status)).toEqual(['FAILED', 'FAILED', 'SUBMITTED']);
    expect(batch.calls.filter((call) => call === 'terminatejob')).toHaveLength(2);
  });

  it('cancels without complaint where Batch does not answer: the record ends the job', async () => {
    batch.faults.listjobs = [500];
    await queue.cancel('a', 1);
  });
});

describe('BatchJobs', () => {
  async function submitted(...ids: string[]): Promise<void> {
    for (const id of ids) {
      await started(id);
      await queue.submit(id, 1);
    }
  }

  it('sees attempts that wait and run, over all pages and queues, and none that ended or is not the service’s', async () => {
    await submitted('a', 'b', 'c', 'd', 'e');
    await started('wordy', { text_cols: ['t'] });
    await queue.submit('wordy', 1);
    for (const [i, status] of ['RUNNING', 'RUNNING', 'RUNNING', 'STARTING', 'SUCCEEDED', 'RUNNABLE'].entries()) {
      batch.jobs[i]!.status = status;
    }
    batch.jobs.push({ ...batch.jobs[0]!, jobId: 'other', jobName: 'backup' });
    const views = await batchJobs.survey();
    expect([...views].map(([slot, { phase }]) => [slot, phase]).sort()).toEqual([
      ['a#1', 'running'],
      ['b#1', 'running'],
      ['c#1', 'running'],
      ['d#1', 'waiting'],
      ['wordy#1', 'waiting'],
    ]);
  });

  it('lets the livelier of two Batch jobs speak for the attempt', async () => {
    await submitted('a');
    await queue.submit('a', 1);
    batch.jobs[0]!.status = 'RUNNING';
    expect(await batchJobs.look({ jobId: 'a', attempt: 1 })).toEqual({ phase: 'running' });
    batch.jobs[0]!.status = 'FAILED';
    expect((await batchJobs.look({ jobId: 'a', attempt: 1 })).phase).toBe('waiting');
    batch.jobs[1]!.status = 'FAILED';
    expect((await batchJobs.look({ jobId: 'a', attempt: 1 })).phase).toBe('ended');
  });

  it('knows nothing of an attempt whose name differs by its case, or that was never submitted', async () => {
    await submitted('abc');
    expect(await batchJobs.look({ jobId: 'ABC', attempt: 1 })).toEqual({ phase: 'absent' });
    expect(await batchJobs.look({ jobId: 'abc', attempt: 2 })).toEqual({ phase: 'absent' });
  });

  it('counts the wait from the submission, and after a run from its end', async () => {
    await submitted('a');
    const job = batch.jobs[0]!;
    expect(await batchJobs.look({ jobId: 'a', attempt: 1 })).toEqual({ phase: 'waiting', since: job.createdAt });
    Object.assign(job, { startedAt: job.createdAt + 10, attempts: [{ stoppedAt: job.createdAt + 5000 }] });
    const later = { phase: 'waiting', since: job.createdAt + 5000 };
    expect(await batchJobs.look({ jobId: 'a', attempt: 1 })).toEqual(later);
  });

  it('says how a Batch job ended', async () => {
    await submitted('a');
    Object.assign(batch.jobs[0]!, {
      status: 'FAILED',
      statusReason: 'Job attempt duration exceeded timeout',
      timeout: { attemptDurationSeconds: 60 },
    });
    const view = await batchJobs.look({ jobId: 'a', attempt: 1 });
    expect(view).toMatchObject({ phase: 'ended', failure: { code: 'timeout', params: { seconds: 60 } } });
  });
});

describe('the name of an attempt in Batch', () => {
  it('tells job and attempt, and belongs to no other job', () => {
    const attempt = { jobId: 'ab-12', attempt: 3 };
    expect(attemptOfBatchName(batchNameOf(attempt))).toEqual(attempt);
    for (const name of ['backup', 'job-a', 'job-a-0', 'job--1x', '']) expect(attemptOfBatchName(name)).toBeUndefined();
  });
});
