/** The process that Batch starts, with the environment that Batch gives it: from S3 to S3. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openUploads } from '../../adapters/aws/openAws.ts';
import { WorkerUploadReader } from '../../adapters/local/workerUploadReader.ts';
import { EXIT } from '../../domain/job/exitCodes.ts';
import { slotOf } from '../../domain/job/job.ts';
import { resultKey } from '../../domain/job/objectKeys.ts';
import { readObject } from '../../domain/job/readObject.ts';
import { uploadFile } from '../../domain/job/uploadFile.ts';
import { MAX_UPLOAD_BYTES, type Service } from '../../domain/service.ts';
import { AT, requestFor } from '../support/jobFixtures.ts';
import { recordingLog } from '../support/localQueue.ts';
import { makeBucket, makeTable, type TestBucket, type TestTable } from './support/storage.ts';

const ROOT = join(import.meta.dirname, '..', '..');

let table: TestTable;
let bucket: TestBucket;
let service: Service;

beforeAll(async () => {
  table = await makeTable();
  bucket = await makeBucket();
  const opened = openUploads(
    { tableName: table.name, bucketName: bucket.name },
    {
      version: '0.1.0',
      maxRunningJobs: 100,
      maxUploadBytes: MAX_UPLOAD_BYTES,
      uploadRetentionHours: 24,
      resultRetentionHours: 720,
      reader: new WorkerUploadReader(),
      log: recordingLog().log,
    },
  );
  service = opened.service;
});
afterAll(async () => {
  await table.remove();
  await bucket.remove();
});

function csv(rows: number): Uint8Array {
  const lines = Array.from({ length: rows }, (_, i) => `${Math.sin(i) * 10 + i / 100},${i % 97},${'abc'[i % 3]}`);
  return new TextEncoder().encode(`x,y,c\n${lines.join('\n')}\n`);
}

/** A job that was uploaded and started; `samples` and `rows` say how long it takes. */
async function startedJob(rows: number, samples: number): Promise<string> {
  const bytes = (async function* () {
    yield csv(rows);
  })();
  const { job } = await uploadFile(service, 'key-1', { name: 'table.csv', bytes });
  await service.jobs.takeSlot(slotOf(job.id, 1), 100);
  const columns = { continuous_cols: ['y'], categorical_cols: ['c'] };
  await service.jobs.start(job.id, 1, { ...requestFor(job.id), ...columns, n_samples: samples }, AT);
  return job.id;
}

interface Container {
  process: ChildProcess;
  ended: Promise<number | null>;
  output(): string;
}

function container(jobId: string, batchJobId: string, run: number): Container {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'gpu-job/main.ts'], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...{ TABLE_NAME: table.name, BUCKET_NAME: bucket.name, JOB_ID: jobId, JOB_ATTEMPT: '1' },
      ...{ AWS_BATCH_JOB_ID: batchJobId, AWS_BATCH_JOB_ATTEMPT: String(run) },
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = once(child, 'close').then(() => child.exitCode);
  return { process: child, ended, output: () => output };
}

/** Waits until the job has said something. */
async function inTheMiddle(jobId: string, { process: child, output }: Container): Promise<void> {
  for (;;) {
    const job = await service.jobs.find(jobId);
    if (job?.state === 'running' && job.progress.length > 1) return;
    if (child.exitCode !== null) throw new Error(`the process ended too soon: ${output()}`);
    await sleep(20);
  }
}

async function expectResult(jobId: string, rows: number): Promise<void> {
  const job = await service.jobs.find(jobId);
  expect(job).toMatchObject({ state: 'done', error: null });
  expect(await service.jobs.slots()).not.toContain(slotOf(jobId, 1));
  const text = new TextDecoder().decode(await readObject(service.objects, resultKey(jobId, 1)));
  expect(text.trimEnd().split('\n')).toHaveLength(rows + 1);
}

describe('the process of a job on Batch', () => {
  it('finishes a job from S3 to S3, and frees its slot', async () => {
    const id = await startedJob(400, 300);
    const { ended, output } = container(id, 'b-1', 1);
    expect([await ended, output()]).toEqual([EXIT.done, expect.stringContaining('"event":"job_done"')]);
    await expectResult(id, 300);
  });

  it('told to end in the middle, hands the job back, and its next run ends it: the same bytes as undisturbed', async () => {
    const [disturbed, undisturbed] = [await startedJob(40_000, 60_000), await startedJob(40_000, 60_000)];
    const first = container(disturbed, 'b-1', 1);
    await inTheMiddle(disturbed, first);
    first.process.kill('SIGTERM');
    expect(await first.ended).toBe(EXIT.handedBack);
    expect(await service.jobs.find(disturbed)).toMatchObject({ state: 'started', attempt: 1, progress: [] });
    expect(await service.jobs.slots()).toContain(slotOf(disturbed, 1));
    expect(await container(disturbed, 'b-1', 2).ended).toBe(EXIT.done);
    expect(await container(undisturbed, 'b-2', 1).ended).toBe(EXIT.done);
    await expectResult(disturbed, 60_000);
    const [a, b] = await Promise.all(
      [disturbed, undisturbed].map((id) => readObject(service.objects, resultKey(id, 1))),
    );
    expect(Buffer.compare(Buffer.from(a ?? []), Buffer.from(b ?? []))).toBe(0);
  });

  it('of two Batch jobs of one attempt at once, one runs it and the other stops', async () => {
    const id = await startedJob(400, 300);
    const codes = await Promise.all([container(id, 'b-1', 1).ended, container(id, 'b-2', 1).ended]);
    expect(codes.sort()).toEqual([EXIT.done, EXIT.over]);
    await expectResult(id, 300);
  });

  it('stops by itself when its job is cancelled', async () => {
    const id = await startedJob(40_000, 60_000);
    const running = container(id, 'b-1', 1);
    await inTheMiddle(id, running);
    await service.jobs.fail(id, 1, { code: 'cancelled', message: 'Cancelled.' }, AT);
    expect(await running.ended).toBe(EXIT.over);
    expect((await service.objects.list(`jobs/${id}/`)).filter((key) => key.includes('attempt-1'))).toEqual([]);
  });

  it('leaves no process behind when it is killed', async () => {
    const id = await startedJob(40_000, 60_000);
    const running = container(id, 'b-1', 1);
    await inTheMiddle(id, running);
    running.process.kill('SIGKILL');
    await running.ended;
    // The process that it started looks for it four times a second.
    await sleep(1000);
    const { progress } = (await service.jobs.find(id)) ?? {};
    await sleep(1500);
    expect(await service.jobs.find(id)).toMatchObject({ state: 'running', progress });
  });

  it('says which variables it was not given', async () => {
    const child = spawn(process.execPath, ['gpu-job/main.ts'], {
      cwd: ROOT,
      env: {},
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [output] = await Promise.all([child.stdout.setEncoding('utf8').toArray(), once(child, 'close')]);
    expect([child.exitCode, output.join('')]).toEqual([EXIT.badEnvironment, expect.stringContaining('JOB_ID')]);
  });
});
