/** A service on AWS with a table and a bucket of its own, and jobs that were uploaded to it and started. */
import { expect } from 'vitest';
import { openUploads } from '../../../adapters/aws/openAws.ts';
import { WorkerUploadReader } from '../../../adapters/local/workerUploadReader.ts';
import { UPLOAD } from '../../../packages/contract/files.ts';
import { slotOf } from '../../../service/job/job.ts';
import { readObject, resultKey } from '../../../service/job/objectKeys.ts';
import { uploadFile } from '../../../service/job/uploadFile.ts';
import type { Service } from '../../../service/service.ts';
import { until } from '../../ports/made.ts';
import { AT, requestFor } from '../../support/jobFixtures.ts';
import { recordingLog } from '../../support/localQueue.ts';
import { makeBucket, makeTable } from './storage.ts';

export interface StartedJobs {
  service: Service;
  /** What a process of the deployment is told of its stores. */
  environment: { TABLE_NAME: string; BUCKET_NAME: string };
  /** Uploads so many rows, and starts the making of so many. */
  start(rows: number, samples: number): Promise<string>;
  /** Waits until the job runs and has reported what it does. */
  inTheMiddle(jobId: string): Promise<void>;
  /** That the job is done, has freed its slot, and has a result of so many rows; gives back its bytes. */
  expectResult(jobId: string, rows: number): Promise<Uint8Array>;
  remove(): Promise<void>;
}

export async function makeStartedJobs(): Promise<StartedJobs> {
  const [table, bucket] = [await makeTable(), await makeBucket()];
  const parts = {
    version: '0.1.0',
    maxRunningJobs: 100,
    maxUploadBytes: UPLOAD.maxBytes,
    uploadRetentionHours: 24,
    resultRetentionHours: 720,
    orphanRetentionHours: 336,
    reader: new WorkerUploadReader(),
    log: recordingLog().log,
  };
  const { service, close } = openUploads({ tableName: table.name, bucketName: bucket.name }, parts);
  const { jobs, objects } = service;
  return {
    service,
    environment: { TABLE_NAME: table.name, BUCKET_NAME: bucket.name },
    async start(rows, samples) {
      const { job } = await uploadFile(service, 'key-1', { name: 'table.csv', bytes: once(csv(rows)) });
      await jobs.takeSlot(slotOf(job.id, 1), 100);
      const columns = { continuous_cols: ['y'], categorical_cols: ['c'] };
      await jobs.start(job.id, 1, { ...requestFor(job.id), ...columns, n_samples: samples }, AT);
      return job.id;
    },
    inTheMiddle: async (jobId) =>
      void (await until('the job to report', async () => {
        const job = await jobs.find(jobId);
        if (job?.state === 'done' || job?.state === 'failed') throw new Error('the job ended too soon');
        return job?.state === 'running' && job.progress.length > 1;
      })),
    async expectResult(jobId, rows) {
      expect(await jobs.find(jobId)).toMatchObject({ state: 'done', error: null });
      expect(await jobs.slots()).not.toContain(slotOf(jobId, 1));
      const bytes = (await readObject(objects, resultKey(jobId, 1))) ?? new Uint8Array();
      expect(new TextDecoder().decode(bytes).trimEnd().split('\n')).toHaveLength(rows + 1);
      return bytes;
    },
    async remove() {
      close();
      await table.remove();
      await bucket.remove();
    },
  };
}

function csv(rows: number): Uint8Array {
  const lines = Array.from({ length: rows }, (_, i) => `${Math.sin(i) * 10 + i / 100},${i % 97},${'abc'[i % 3]}`);
  return new TextEncoder().encode(`x,y,c\n${lines.join('\n')}\n`);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
