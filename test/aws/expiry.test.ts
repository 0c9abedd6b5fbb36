/** What is left in S3 without a record is found by its age there, with no memory from one day to the next. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAws } from '../../adapters/aws/openAws.ts';
import { expireObjects } from '../../service/job/expire.ts';
import { DEFAULT_LIMITS } from '../../service/job/reconcile.ts';
import { newJob } from '../support/jobFixtures.ts';
import { recordingLog } from '../support/localQueue.ts';
import { makeStartedJobs, type StartedJobs } from './support/startedJobs.ts';

let started: StartedJobs;
beforeAll(async () => {
  started = await makeStartedJobs();
});
afterAll(() => started.remove());

it('erases the files of no record when they are old enough, and no others', async () => {
  const { TABLE_NAME: tableName, BUCKET_NAME: bucketName } = started.environment;
  const target = { queue: 'none', definition: 'none' };
  const settings = {
    tableName,
    bucketName,
    computeEnvironment: '',
    gpu: target,
    cpu: target,
    limits: DEFAULT_LIMITS,
  };
  const { reader, settings: serviceSettings } = started.service;
  const { service, close } = openAws(settings, { ...serviceSettings, reader, log: recordingLog().log });
  const now = Date.now();
  const orphanMs = serviceSettings.orphanRetentionHours * 3_600_000;
  const at = (ms: number) => ({ ...service, clock: { now: () => new Date(now + ms) } });
  // Young when the orphans are old: an upload is kept for less time than they are.
  await service.jobs.create(newJob('known', 'known.csv', new Date(now + orphanMs).toISOString()));
  for (const key of ['jobs/known/upload', 'jobs/orphan/upload', 'jobs/orphan/profile.json']) {
    await service.objects.put(key, new Uint8Array([1]));
  }
  const marks = service.clockMarks;
  // The daily expiry has run the day before.
  await marks.mark({ seenAt: now + orphanMs - 86_400_000, trustedFrom: 0 });
  await expireObjects(at(orphanMs - 60_000));
  expect(await service.objects.list('jobs/')).toHaveLength(3);
  await expireObjects(at(orphanMs + 60_000));
  expect(await service.objects.list('jobs/')).toEqual(['jobs/known/upload']);
  close();
});
