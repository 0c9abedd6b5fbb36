/** The small parts of the adapters for AWS, which need no AWS. */
import { DescribeJobQueuesCommand } from '@aws-sdk/client-batch';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ListBucketsCommand } from '@aws-sdk/client-s3';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { closeClients, createClients } from '../../../adapters/aws/awsClients.ts';
import { awsError, isRefused, withRetries } from '../../../adapters/aws/awsErrors.ts';
import {
  isEarlierRun,
  readAwsSettings,
  readStoreSettings,
  runnerName,
  runnerOf,
} from '../../../adapters/aws/awsSettings.ts';
import { failureOfBatchJob } from '../../../adapters/aws/batchJobs.ts';
import { packEvent, progressOf } from '../../../adapters/aws/jobItem.ts';
import { capProgress, fitEvent, MAX_EVENT_BYTES, MAX_EVENTS } from '../../../adapters/aws/progressBounds.ts';
import { packedBytes, packJson, unpackJson } from '../../../adapters/aws/recordTable.ts';
import { type JobEvent, jobEventSchema } from '../../../packages/contract/events.ts';
import { EXIT } from '../../../service/job/failures.ts';
import { eventOf } from '../../support/jobFixtures.ts';

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };

const exception = (name: string, httpStatusCode?: number, code?: string) =>
  Object.assign(new Error('of AWS'), { name, $metadata: { httpStatusCode }, ...(code && { code }) });

describe('awsError', () => {
  it.each([
    ['ThrottlingException', 400],
    ['ProvisionedThroughputExceededException', 400],
    ['SlowDown', 503],
    ['TooManyRequestsException', 429],
    ['Unheard', 429],
  ])('says of %s (%i) that the service is busy, and when to come again', (name, status) => {
    const told = awsError(exception(name, status), 'records');
    expect(told).toMatchObject({ code: 'service_busy', params: { seconds: 5 } });
  });

  it.each([
    ['records', 'storage_unavailable'],
    ['files', 'storage_unavailable'],
    ['compute', 'compute_unavailable'],
  ] as const)('says of %s that do not answer: %s', (part, code) => {
    for (const error of [
      exception('TimeoutError'),
      exception('InternalServerError', 500),
      exception('Error', undefined, 'ECONNRESET'),
    ]) {
      expect(awsError(error, part)).toMatchObject({ code, params: { seconds: 5 }, cause: error });
    }
  });

  it('leaves faults of the deployment what they are, for the log', () => {
    for (const error of [exception('AccessDeniedException', 400), new TypeError('a bug'), 'text']) {
      expect(awsError(error, 'files')).toBe(error);
    }
  });

  it('knows what was certainly not done', () => {
    expect(
      [exception('X', 400), exception('X', 429), exception('E', undefined, 'ECONNREFUSED')].map(isRefused),
    ).toEqual([true, true, true]);
    expect(
      [exception('X', 500), exception('TimeoutError'), exception('E', undefined, 'ECONNRESET')].map(isRefused),
    ).toEqual([false, false, false]);
  });
});

describe('progress', () => {
  it('cuts long names at a character, so that an event stays within its bytes', () => {
    const name = fc.string({ unit: 'grapheme', maxLength: 900 });
    const one = (column: string): JobEvent => ({ stage: 'fit', fact: 'target_constant', column, value: 1, seconds: 1 });
    const many = (columns: string[]): JobEvent => ({
      stage: 'start',
      fact: 'text_model',
      model: 'LM',
      columns,
      seconds: 0,
    });
    fc.assert(
      fc.property(fc.oneof(name.map(one), fc.array(name).map(many)), (event) => {
        const fitted = fitEvent(event);
        expect(Buffer.byteLength(JSON.stringify(fitted))).toBeLessThanOrEqual(MAX_EVENT_BYTES);
        if (Buffer.byteLength(JSON.stringify(event)) <= MAX_EVENT_BYTES) expect(fitted).toEqual(event);
        expect(jobEventSchema.parse(fitted).fact).toBe(event.fact);
      }),
    );
  });

  it('keeps the first and the last events, and counts those left out, however they come', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(400), { maxLength: 30 }), (sizes) => {
        const all: JobEvent[] = [];
        let kept: JobEvent[] = [];
        for (const size of sizes) {
          const more = Array.from({ length: size }, (_, i) => eventOf(all.length + i));
          all.push(...more);
          kept = capProgress([...kept, ...more]);
          expect(kept.length).toBeLessThanOrEqual(MAX_EVENTS);
          expect([kept[0], kept.at(-1)]).toEqual([all[0], all.at(-1)]);
        }
        const marks = kept.flatMap((event) => (event.fact === 'events_omitted' ? [event.events] : []));
        const leftOut = marks.reduce((a, b) => a + b, 0);
        expect(kept.length - marks.length + leftOut).toBe(all.length);
        expect(marks.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 50 },
    );
  });

  it('is read as it was written, without what another version wrote otherwise', () => {
    const events = [eventOf(1), eventOf(2)];
    const L = [...events.map(packEvent), '{no event', '{"fact":"of another version"}'].map((S) => ({ S }));
    expect(progressOf({ progress: { L } })).toEqual(events);
  });
});

describe('packJson', () => {
  it('gives back what was packed, short as text and long compressed', () => {
    const long = { columns: Array.from({ length: 5000 }, (_, i) => `column_${i} ✓`) };
    for (const value of [null, { a: 1 }, long]) expect(unpackJson(packJson(value))).toEqual(value);
    expect(packJson({ a: 1 })).toEqual({ S: '{"a":1}' });
    expect(packedBytes(packJson(long))).toBeLessThan(30_000);
    expect(unpackJson(undefined)).toBeNull();
  });
});

describe('failureOfBatchJob', () => {
  const ended = (statusReason: string, exitCode?: number, reason?: string) =>
    failureOfBatchJob({ statusReason, startedAt: 1, attempts: [{ container: { exitCode, reason } }] }).code;

  it.each([
    ['Job attempt duration exceeded timeout', undefined, undefined, 'timeout'],
    [
      'Essential container in task exited',
      137,
      'OutOfMemoryError: Container killed due to memory usage',
      'out_of_memory',
    ],
    ['Essential container in task exited', 137, undefined, 'crashed'],
    ['Essential container in task exited', 139, undefined, 'crashed'],
    ['Essential container in task exited', EXIT.handedBack, undefined, 'interrupted'],
    ['Essential container in task exited', EXIT.storageUnavailable, undefined, 'storage_unavailable'],
    ['Essential container in task exited', EXIT.over, undefined, 'internal_error'],
    ['Host EC2 (instance i-0123) terminated.', undefined, undefined, 'interrupted'],
    ['Task failed to start', undefined, 'CannotPullContainerError', 'interrupted'],
  ])('%s, exit code %s, %s: %s', (statusReason, exitCode, reason, code) => {
    expect(ended(statusReason, exitCode, reason)).toBe(code);
  });

  it('says that no machine could be had for a job that never began', () => {
    expect(failureOfBatchJob({ statusReason: 'CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY' }).code).toBe('no_compute');
  });
});

describe('withRetries', () => {
  const rule = { isPassing: (error: unknown) => error === 'again', tries: 3, firstWaitMs: 1, maxWaitMs: 2 };
  const failing = (errors: unknown[]) => async () => {
    if (errors.length > 0) throw errors.shift();
    return 'done';
  };

  it('tries again what passes, as often as it says, and nothing else', async () => {
    expect(await withRetries(rule, failing(['again', 'again']))).toBe('done');
    await expect(withRetries(rule, failing(['again', 'again', 'again']))).rejects.toBe('again');
    await expect(withRetries(rule, failing(['other']))).rejects.toBe('other');
  });
});

describe('the name of a process', () => {
  it('is what Batch says of it, and tells an earlier run of the same Batch job from others', () => {
    const runner = runnerOf({ AWS_BATCH_JOB_ID: 'b-1', AWS_BATCH_JOB_ATTEMPT: '2' });
    expect(runner && runnerName(runner)).toBe('b-1/2');
    const earlier = ['b-1/1', 'b-1/2', 'b-1/3', 'b-2/1', ''].map((name) => runner && isEarlierRun(name, runner));
    expect(earlier).toEqual([true, false, false, false, false]);
    expect(runnerOf({ AWS_BATCH_JOB_ID: 'b-1' })).toBeUndefined();
  });
});

describe('settings', () => {
  it('names every variable that is missing', () => {
    expect(() => readAwsSettings({ TABLE_NAME: 't', GPU_QUEUE: '' })).toThrow(
      /BUCKET_NAME.*GPU_QUEUE.*CPU_JOB_DEFINITION/,
    );
    expect(readStoreSettings({ TABLE_NAME: 't', BUCKET_NAME: 'b' })).toEqual({ tableName: 't', bucketName: 'b' });
  });
});

describe('createClients', () => {
  it('addresses buckets by path at an emulator, and as AWS wants it elsewhere', async () => {
    const at = (endpoint?: string) => createClients(endpoint ? { AWS_ENDPOINT_URL: endpoint } : {});
    const made = [at('http://127.0.0.1:4566'), at('https://vpce-1.s3.eu-west-1.vpce.amazonaws.com'), at()];
    expect(made.map(({ files }) => files.config.forcePathStyle)).toEqual([true, false, false]);
    for (const clients of made) closeClients(clients);
  });

  it('tries a submission once and other calls a few times, each for a limited time', async () => {
    const nowhere = { AWS_ENDPOINT_URL: 'http://127.0.0.1:1', AWS_REGION: 'us-east-1' };
    for (const [name, value] of Object.entries({ ...nowhere, ...CREDENTIALS })) vi.stubEnv(name, value);
    const clients = createClients({});
    await expect(clients.records.send(new ListTablesCommand({}))).rejects.toThrow();
    await expect(clients.files.send(new ListBucketsCommand({}))).rejects.toThrow();
    await expect(clients.compute.send(new DescribeJobQueuesCommand({}))).rejects.toThrow();
    await expect(clients.submission.send(new DescribeJobQueuesCommand({}))).rejects.toThrow();
    const tries = await Promise.all(Object.values(clients).map((client) => client.config.maxAttempts()));
    expect(tries).toEqual([4, 4, 3, 1]);
    for (const client of Object.values(clients)) {
      expect(client.config.requestHandler.httpHandlerConfigs?.()).toMatchObject({
        throwOnRequestTimeout: true,
        connectionTimeout: expect.any(Number),
        requestTimeout: expect.any(Number),
        socketTimeout: expect.any(Number),
      });
    }
    closeClients(clients);
    vi.unstubAllEnvs();
  });
});
