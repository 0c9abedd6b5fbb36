import { expect, it } from 'vitest';
import { runJob } from '../../gpu-job/runJob.ts';
import { attemptPrefix, modelKey, resultKey } from '../../service/job/objectKeys.ts';
import { SOFTWARE } from '../support/jobFixtures.ts';
import { worldOf } from '../synthesis/world.ts';

const CSV = `x\n${Array.from({ length: 60 }, (_, i) => `${(i * 37) % 23}\n`).join('')}`;

it('a job that ends well leaves no file of an attempt that was killed before', async () => {
  const { service, job } = await worldOf(CSV, { target_col: 'x', n_samples: 10 });
  const { jobs, objects, clock, records } = service;
  for (const key of [modelKey('job', 1), resultKey('job', 1)]) await objects.put(key, Buffer.from('cut off'));
  records.set('job', { ...job(), attempt: 2 });
  const { signal } = new AbortController();
  await runJob({ jobs, objects, clock, software: SOFTWARE, jobId: 'job', attempt: 2, signal });
  expect(job().state).toBe('done');
  expect(await objects.list(attemptPrefix('job', 1))).toEqual([]);
  expect(await objects.list(attemptPrefix('job', 2))).toContain(resultKey('job', 2));
});
