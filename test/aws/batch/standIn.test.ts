/** The stand-in for Batch, spoken to by the real client: its answers are what Batch documents. */
import {
  BatchClient,
  DescribeJobsCommand,
  ListJobsCommand,
  SubmitJobCommand,
  TerminateJobCommand,
} from '@aws-sdk/client-batch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientSettings } from '../deployment/credentials.ts';
import type { BatchJob } from './batchJob.ts';
import { BatchControl } from './control.ts';
import { deployedBatch, templateSchema } from './deployedBatch.ts';
import { isRunAgain } from './retryRules.ts';
import { serveBatch } from './server.ts';
import { BatchStandIn } from './standIn.ts';
import { retryStrategySchema } from './wire.ts';

const template = templateSchema.parse({
  Resources: {
    Table: { Type: 'AWS::DynamoDB::Table' },
    Queue: { Type: 'AWS::Batch::JobQueue', Properties: { JobQueueName: 'cpu' } },
    Definition: {
      Type: 'AWS::Batch::JobDefinition',
      Properties: {
        JobDefinitionName: 'cpu',
        ContainerProperties: { Environment: [{ Name: 'TABLE_NAME', Value: { Ref: 'Table' } }] },
        RetryStrategy: { Attempts: 3, EvaluateOnExit: [{ Action: 'EXIT', OnReason: '*' }] },
      },
    },
  },
});

const sent: string[] = [];
const standIn = new BatchStandIn({
  events: { send: (job: BatchJob) => void sent.push(job.status), settled: async () => {} },
  roleEnvironment: {},
  machines: 1,
  startMs: 1,
  stopGraceMs: 1000,
});
let control: BatchControl;
let client: BatchClient;
let close: () => Promise<void>;

beforeAll(async () => {
  standIn.deploy(deployedBatch(template, new Map([['Table', 'records']])));
  const served = await serveBatch(standIn);
  close = served.close;
  control = new BatchControl(served.url);
  client = new BatchClient({ endpoint: served.url, maxAttempts: 1, ...clientSettings });
});
afterAll(async () => {
  await standIn.reset();
  client.destroy();
  await close();
});

const submit = (jobName: string, jobQueue = 'cpu') =>
  client.send(
    new SubmitJobCommand({
      jobName,
      jobQueue,
      jobDefinition: 'cpu',
      containerOverrides: { environment: [{ name: 'JOB_ID', value: 'x' }] },
    }),
  );

describe('the stand-in for Batch', () => {
  it('takes a job, lists it by status and by name, describes it, and ends it on request', async () => {
    await control.set({ hold: true });
    const { jobId = '' } = await submit('job-a-1');
    await submit('job-b-1');
    const names = async (input: object) => {
      const { jobSummaryList } = await client.send(new ListJobsCommand({ jobQueue: 'cpu', ...input }));
      return jobSummaryList?.map(({ jobName }) => jobName);
    };
    expect(await names({ jobStatus: 'RUNNABLE' })).toEqual(['job-a-1', 'job-b-1']);
    expect(await names({}), 'RUNNING where nothing is asked for').toEqual([]);
    expect(await names({ filters: [{ name: 'JOB_NAME', values: ['JOB-A-*'] }] })).toEqual(['job-a-1']);
    const described = async () => (await client.send(new DescribeJobsCommand({ jobs: [jobId] }))).jobs?.[0];
    expect((await described())?.container?.environment).toEqual([
      { name: 'TABLE_NAME', value: 'records' },
      { name: 'JOB_ID', value: 'x' },
    ]);
    await client.send(new TerminateJobCommand({ jobId, reason: 'not wanted' }));
    expect(await described()).toMatchObject({ status: 'FAILED', statusReason: 'not wanted' });
    expect(sent).toEqual(['RUNNABLE', 'RUNNABLE', 'FAILED']);
  });

  it('pages a list', async () => {
    const { nextToken, jobSummaryList } = await client.send(
      new ListJobsCommand({ jobQueue: 'cpu', maxResults: 1, filters: [{ name: 'JOB_NAME', values: ['job-*'] }] }),
    );
    expect([jobSummaryList?.length, typeof nextToken]).toEqual([1, 'string']);
  });

  it('refuses as Batch does: by an exception with a name', async () => {
    await expect(submit('job-c-1', 'nowhere')).rejects.toMatchObject({ name: 'ClientException' });
    await control.set({ throttle: 1 });
    await expect(submit('job-c-1')).rejects.toMatchObject({ name: 'TooManyRequestsException' });
    await control.set({ refuse: 1 });
    await expect(submit('job-c-1')).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } });
  });

  it('repeats a run by the first rule that fits, as long as there are attempts', () => {
    const rules = [
      { action: 'RETRY', onExitCode: '75' },
      { action: 'RETRY', onStatusReason: 'Host EC2*' },
      { action: 'EXIT', onReason: '*' },
    ];
    const strategy = retryStrategySchema.parse({ attempts: 3, evaluateOnExit: rules });
    const end = (exitCode: number, statusReason = 'Essential container in task exited') => ({
      exitCode,
      reason: '',
      statusReason,
    });
    expect(isRunAgain(strategy, 1, end(75))).toBe(true);
    expect(isRunAgain(strategy, 3, end(75)), 'no attempts left').toBe(false);
    expect(isRunAgain(strategy, 1, end(10))).toBe(false);
    expect(isRunAgain(strategy, 1, end(137, 'Host EC2 (instance i-0) terminated.'))).toBe(true);
    expect(isRunAgain(retryStrategySchema.parse({ attempts: 2 }), 1, end(1)), 'no rules').toBe(true);
  });
});
