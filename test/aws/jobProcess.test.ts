/** The process that Batch starts, with the environment that Batch gives it: from S3 to S3. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../service/job/failures.ts';
import { slotOf } from '../../service/job/job.ts';
import { AT } from '../support/jobFixtures.ts';
import { makeStartedJobs, type StartedJobs } from './support/startedJobs.ts';

const ROOT = join(import.meta.dirname, '..', '..');

let started: StartedJobs;
beforeAll(async () => {
  started = await makeStartedJobs();
});
afterAll(() => started.remove());

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
      ...started.environment,
      JOB_ID: jobId,
      JOB_ATTEMPT: '1',
      AWS_BATCH_JOB_ID: batchJobId,
      AWS_BATCH_JOB_ATTEMPT: String(run),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = once(child, 'close').then(() => child.exitCode);
  return { process: child, ended, output: () => output };
}

describe('the process of a job on Batch', () => {
  it('finishes a job from S3 to S3, and frees its slot', async () => {
    const id = await started.start(400, 300);
    const { ended, output } = container(id, 'b-1', 1);
    expect([await ended, output()]).toEqual([EXIT.done, expect.stringContaining('"event":"job_done"')]);
    await started.expectResult(id, 300);
  });

  it('told to end in the middle, hands the job back, and its next run ends it: the same bytes as undisturbed', async () => {
    const [disturbed, undisturbed] = [await started.start(20_000, 30_000), await started.start(20_000, 30_000)];
    const first = container(disturbed, 'b-1', 1);
    await started.inTheMiddle(disturbed);
    first.process.kill('SIGTERM');
    expect(await first.ended).toBe(EXIT.handedBack);
    expect(await started.service.jobs.find(disturbed)).toMatchObject({ state: 'started', attempt: 1, progress: [] });
    expect(await started.service.jobs.slots()).toContain(slotOf(disturbed, 1));
    expect(await container(disturbed, 'b-1', 2).ended).toBe(EXIT.done);
    expect(await container(undisturbed, 'b-2', 1).ended).toBe(EXIT.done);
    const a = await started.expectResult(disturbed, 30_000);
    const b = await started.expectResult(undisturbed, 30_000);
    expect(Buffer.compare(a, b)).toBe(0);
  }, 400_000);

  it('of two Batch jobs of one attempt at once, one runs it and the other stops', async () => {
    const id = await started.start(400, 300);
    const codes = await Promise.all([container(id, 'b-1', 1).ended, container(id, 'b-2', 1).ended]);
    expect(codes.sort()).toEqual([EXIT.done, EXIT.over]);
    await started.expectResult(id, 300);
  });

  it('stops by itself when its job is cancelled', async () => {
    const id = await started.start(40_000, 60_000);
    const running = container(id, 'b-1', 1);
    await started.inTheMiddle(id);
    await started.service.jobs.fail(id, 1, { code: 'cancelled', params: { reason: 'cancelled' } }, AT);
    expect(await running.ended).toBe(EXIT.over);
    expect((await started.service.objects.list(`jobs/${id}/`)).filter((key) => key.includes('attempt-1'))).toEqual([]);
  });

  it('leaves no process behind when it is killed', async () => {
    const id = await started.start(40_000, 60_000);
    const running = container(id, 'b-1', 1);
    await started.inTheMiddle(id);
    running.process.kill('SIGKILL');
    await running.ended;
    // The process that it started looks for it four times a second.
    await sleep(1000);
    const { progress } = (await started.service.jobs.find(id)) ?? {};
    await sleep(1500);
    expect(await started.service.jobs.find(id)).toMatchObject({ state: 'running', progress });
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
