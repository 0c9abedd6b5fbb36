/** The queue on Batch, by the suite of its port: the stand-in starts a process for each Batch job. */
import { join } from 'node:path';
import { BatchClient } from '@aws-sdk/client-batch';
import { BatchJobQueue, BatchJobs } from '../../adapters/aws/batchJobs.ts';
import { DynamoJobStore } from '../../adapters/aws/dynamoJobStore.ts';
import { DEFAULT_LIMITS, reconcileAttempts } from '../../service/job/reconcile.ts';
import { jobQueueSuite } from '../ports/jobQueue.suite.ts';
import { AT } from '../support/jobFixtures.ts';
import { recordingLog } from '../support/localQueue.ts';
import { memoryService } from '../support/memoryService.ts';
import type { DeployedBatch } from './batch/deployedBatch.ts';
import { EventSender } from './batch/events.ts';
import { serveBatch } from './batch/server.ts';
import { BatchStandIn } from './batch/standIn.ts';
import { makeBucket, makeTable } from './support/storage.ts';

const RETRY_RULES = { attempts: 1, evaluateOnExit: [] };
const definition = { environment: [], retryStrategy: RETRY_RULES, timeoutSeconds: 600, platform: 'EC2' } as const;
const DEPLOYED: DeployedBatch = {
  queues: ['gpu', 'cpu'],
  definitions: ['gpu', 'cpu'].map((name) => ({ ...definition, environment: [], name })),
  computeEnvironments: [],
};

jobQueueSuite('BatchJobQueue', async () => {
  const [table, bucket] = [await makeTable(), await makeBucket()];
  const standIn = new BatchStandIn({
    events: new EventSender(process.env.AWS_ENDPOINT_URL ?? ''),
    roleEnvironment: { ...awsEnvironment(), TABLE_NAME: table.name, BUCKET_NAME: bucket.name },
    machines: 4,
    startMs: 10,
    stopGraceMs: 5000,
    entry: join(import.meta.dirname, 'support', 'batchTestJob.ts'),
  });
  standIn.deploy(DEPLOYED);
  const batch = await serveBatch(standIn);
  const client = new BatchClient({ endpoint: batch.url, region: 'us-east-1' });
  const jobs = new DynamoJobStore(table.handle());
  const batchJobs = new BatchJobs(client, ['gpu', 'cpu']);
  const targets = { gpu: { queue: 'gpu', definition: 'gpu' }, cpu: { queue: 'cpu', definition: 'cpu' } };
  const queue = new BatchJobQueue({ submission: client, batchJobs, jobs, ...targets, log: recordingLog().log });
  const service = memoryService({ jobs, queue, clock: clockFrom(AT) });
  const parts = { service, compute: batchJobs, limits: DEFAULT_LIMITS };
  const stopReconciling = repeat(async () => void (await reconcileAttempts(parts, await jobs.slotTimes())), 300);
  const dispose = async () => {
    await stopReconciling();
    await standIn.reset();
    await batch.close();
    client.destroy();
    await table.remove();
    await bucket.remove();
  };
  return { queue, jobs, dispose };
});

/** The suite's jobs are started at that time, whatever the time is. */
function clockFrom(at: string) {
  const began = performance.now();
  return { now: () => new Date(Date.parse(at) + performance.now() - began) };
}

const awsEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (name.startsWith('AWS_') && value ? [[name, value]] : [])),
  );

/** As the schedule does, one round after the other. Returns what ends it. */
function repeat(work: () => Promise<void>, everyMs: number): () => Promise<void> {
  let stopped = false;
  const rounds = (async () => {
    while (!stopped) {
      await work();
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  })();
  return async () => {
    stopped = true;
    await rounds;
  };
}
