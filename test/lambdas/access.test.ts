/**
 * What the functions really ask of AWS against what their synthesised policies allow: every call is allowed, and what is
 * allowed is called.
 */
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { reportGpu } from '../../adapters/aws/batchGpu.ts';
import { openAwsStores } from '../../adapters/aws/openAws.ts';
import { AttemptLease, LEASE_TIMES } from '../../adapters/aws/runOnBatch.ts';
import { makeKey } from '../../adapters/shared/keys.ts';
import { checkpointsIn } from '../../gpu-job/openText.ts';
import { runAttempt } from '../../gpu-job/runAttempt.ts';
import { sha256Of } from '../../service/hashing.ts';
import {
  columnsKey,
  erasingKey,
  manifestKey,
  modelKey,
  profileKey,
  reportKey,
  resultKey,
  uploadKey,
} from '../../service/job/objectKeys.ts';
import { uploadFile } from '../../service/job/uploadFile.ts';
import { allowed } from '../infra/support/policies.ts';
import { synthesise } from '../infra/support/synthesise.ts';
import { eventOf as jobEvent, METRICS, SOFTWARE, WITHHELD } from '../support/jobFixtures.ts';
import { manifestOf, SALT } from '../support/manifests.ts';
import { eventOf, jsonEvent, uploadEvent } from './support/event.ts';
import { type FakeAws, startFakeAws } from './support/fakeAws.ts';

const CSV = [
  'mass,note',
  ...Array.from({ length: 60 }, (_, i) => `${i / 4},"a long remark, number ${i}, that nobody wrote twice"`),
  '',
].join('\n');
const { id: keyId, key, secretHash } = makeKey();
const roles = allowed(synthesise().template);
let aws: FakeAws;

beforeAll(async () => {
  aws = await startFakeAws();
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: aws.url,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    TABLE_NAME: 'table',
    BUCKET_NAME: 'bucket',
    // With limits for each key, whose use is then read.
    MAX_RUNNING_JOBS_PER_KEY: '2',
    JOBS_PER_KEY: '10',
    GPU_QUEUE: 'synthetic-tables-dev-gpu',
    CPU_QUEUE: 'synthetic-tables-dev-cpu',
    GPU_JOB_DEFINITION: 'synthetic-tables-dev-gpu:7',
    CPU_JOB_DEFINITION: 'synthetic-tables-dev-cpu:7',
    COMPUTE_ENVIRONMENT: 'machines',
  });
});

afterAll(() => aws.close());

beforeEach(() => {
  aws.items = new Map([
    [`KEY#${keyId}`, { pk: { S: `KEY#${keyId}` }, ...keyItem() }],
    ['SLOTS', { pk: { S: 'SLOTS' }, running: { SS: ['1#1', '2#1'] } }],
    ['TOTAL', { pk: { S: 'TOTAL' }, jobs: { N: '2' } }],
  ]);
  aws.objects = new Map();
  aws.batchJobs = [];
  aws.onSubmit = 'accept';
  aws.forget();
});

const keyItem = () => ({
  name: { S: 'test' },
  createdAt: { S: '2026-01-01T00:00:00.000Z' },
  secretHash: { B: Buffer.from(secretHash).toString('base64') },
  rights: { S: 'release' },
});

function putJob(id: string, state: string, attempt = 1, since = '2020-01-01T00:00:00.000Z'): void {
  aws.items.set(`JOB#${id}`, {
    pk: { S: `JOB#${id}` },
    phase: { S: state === 'started' || state === 'running' ? 'active' : 'ended' },
    since: { S: since },
    keyId: { S: keyId },
    state: { S: state },
    attempt: { N: String(attempt) },
    fileName: { S: 'table.csv' },
    fileBytes: { N: '100' },
    fileSha256: { S: sha256Of(Buffer.from(CSV)) },
    createdAt: { S: since },
    startedAt: { S: since },
    progress: { L: [] },
  });
}

/** A job that waits for a slot. */
function putQueued(id: string): void {
  putJob(id, 'queued');
  const stored = { S: JSON.stringify({ ...wholeRequest(), text_cols: [], seed: 1 }) };
  aws.items.set(`JOB#${id}`, { ...aws.items.get(`JOB#${id}`), request: stored });
  const queuedAt = '2020-01-01T00:00:00.000Z';
  const job = { jobId: id, attempt: 1, keyId, queuedAt, estimate: { memoryMb: 1, seconds: 1 } };
  aws.items.set('QUEUE', { pk: { S: 'QUEUE' }, waiting: { SS: [id] }, [`job ${id}`]: { S: JSON.stringify(job) } });
}

/** Of a private table whose attempt has not run: its end takes the charge back. */
function putCharge(jobId: string): void {
  const charge = { ledger: { S: 'a ledger' }, id: { S: `charge of ${jobId}` } };
  aws.items.set(`JOB#${jobId}`, { ...aws.items.get(`JOB#${jobId}`), charge: { M: charge } });
  const charges = [{ id: `charge of ${jobId}`, job_id: jobId, attempt: 1, epsilon: 1, delta: 1e-6, rho: 0.01, at: '' }];
  aws.items.set('LEDGER#a ledger', {
    pk: { S: 'LEDGER#a ledger' },
    version: { N: '1' },
    charges: { S: JSON.stringify(charges) },
  });
}

/** The job of an uploaded table of numbers. */
async function uploadNumbers(): Promise<string> {
  const table = ['mass', ...Array.from({ length: 250 }, (_, row) => `${row / 4}`), ''].join('\n');
  const uploaded = z.object({ data: z.object({ job_id: z.string() }) });
  const { job_id } = uploaded.parse(JSON.parse((await answered(await uploadEvent(table, key))).body)).data;
  putJob(job_id, 'uploaded', 0);
  aws.forget();
  return job_id;
}

/** A private table, whose charge is written with its start. */
const startPrivately = (job_id: string) => {
  const domain = { mass: { min: 0, max: 100, decimals: 2 } };
  const asked = { job_id, continuous_cols: ['mass'], privacy: { epsilon: 1 }, domain };
  return answered(jsonEvent('/generate', asked, key));
};

/** A call in the outbox to an address that may not be called: no test reaches out. */
function putCallback(jobId: string, attempt: number): void {
  aws.items.set(`CALLBACK#${jobId}`, {
    pk: { S: `CALLBACK#${jobId}` },
    attempt: { N: String(attempt) },
    caller: { S: keyId },
    url: { S: 'https://127.0.0.1/' },
    state: { S: 'waiting' },
    tries: { N: '0' },
    dueAt: { S: '2020-01-01T00:00:00.000Z' },
  });
}

/** The profile that the upload of `CSV` makes, and its answer. */
async function putProfile(jobId: string): Promise<void> {
  const uploaded = JSON.parse((await upload(CSV)).body);
  for (const keyOf of [profileKey, columnsKey]) {
    const made = aws.objects.get(keyOf(uploaded.data.job_id));
    if (made) aws.objects.set(keyOf(jobId), made);
  }
  aws.forget();
}

async function upload(table: string) {
  return answered(named(await uploadEvent(table, key)));
}

/** Loaded when the environment is there. */
const routes = () => import('../../lambdas/routes.ts');

const answered = async (event: APIGatewayProxyEvent) => (await routes()).handler(event);

/** Not as a stream: this runtime is not Lambda's. */
const streamed = async (event: APIGatewayProxyEvent) =>
  ((await routes()).streaming as (event: APIGatewayProxyEvent) => Promise<unknown>)(event);

/** With a name, under which its answer is kept. */
function named(event: APIGatewayProxyEvent): APIGatewayProxyEvent {
  return { ...event, multiValueHeaders: { ...event.multiValueHeaders, 'Idempotency-Key': ['name'] } };
}

const get = (path: string, httpMethod = 'GET'): APIGatewayProxyEvent =>
  eventOf({ path, httpMethod, multiValueHeaders: { 'X-API-Key': [key] } });

const request = (text_cols: string[]) => ({ job_id: '1', target_col: 'mass', text_cols });
const callingBack = { callback_url: 'https://hooks.example.org/tables' };

/** The lines of a role that no call needed. Those of the log are written by Lambda itself, not by the SDK. */
function unused(role: string): string[] {
  const lines = (roles.get(role) ?? []).filter((line) => !line.endsWith(' own log'));
  return lines.filter((line) => !aws.calls.some((call) => covers(line, call)));
}

const refused = (role: string): string[] =>
  [...new Set(aws.calls)].filter((call) => !roles.get(role)?.some((line) => covers(line, call)));

/** As IAM compares: action, then any of the resources, with stars. */
function covers(line: string, call: string): boolean {
  const [action, ...patterns] = line.replace(' where StringLikeIfExists s3:prefix', '').split(' ');
  const [asked, ...on] = call.split(' ');
  if (action !== asked) return false;
  if (action === 's3:ListBucket' || action?.startsWith('batch:') || action === 'dynamodb:Query') {
    return like(patterns.join(' '), on.join(' '));
  }
  return patterns.some((pattern) => like(pattern, on.join(' ')));
}

const literal = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');

const like = (pattern: string, text: string): boolean =>
  new RegExp(`^${pattern.split('*').map(literal).join('.*')}$`, 's').test(text);

/** What each function is sent, so that it goes all its ways. */
const SCENARIOS: Record<string, () => Promise<unknown>> = {
  health: async () => {
    putJob('1', 'running');
    return answered(get('/health'));
  },
  upload: async () => {
    await upload(CSV);
    return upload('mass,note\n');
  },
  detectFamily: async () => {
    putJob('1', 'uploaded', 0);
    await putProfile('1');
    return answered(jsonEvent('/detect_family', { job_id: '1', target_col: 'mass' }, key));
  },
  estimate: async () => {
    putJob('1', 'uploaded', 0);
    await putProfile('1');
    return answered(jsonEvent('/estimate', request([]), key));
  },
  generate: async () => {
    const numbers = await uploadNumbers();
    putJob('1', 'uploaded', 0);
    await putProfile('1');
    await answered(named(jsonEvent('/generate', { ...request([]), ...callingBack }, key)));
    putQueued('w');
    const queued = await answered(named(jsonEvent('/generate', { ...request([]), queue: true }, key)));
    expect(JSON.parse(queued.body).data.status).toBe('queued');
    expect((await startPrivately(numbers)).statusCode).toBe(200);
    aws.onSubmit = 'refuse';
    await answered(jsonEvent('/generate', { ...request([]), ...callingBack }, key));
    aws.onSubmit = 'hang up';
    return answered(jsonEvent('/generate', request([]), key));
  },
  sample: async () => {
    putJob('1', 'done');
    const stored = { ...wholeRequest(), text_cols: [], seed: 1 };
    aws.items.set('JOB#1', { ...aws.items.get('JOB#1'), request: { S: JSON.stringify(stored) } });
    await putProfile('1');
    aws.objects.set(modelKey('1', 1), Buffer.from('{}'));
    const ask = () => jsonEvent('/sample/1', { rows: 5 }, key);
    await answered(named(ask()));
    putQueued('w');
    await answered(jsonEvent('/sample/1', { rows: 5, queue: true }, key));
    aws.onSubmit = 'refuse';
    await answered(ask());
    aws.onSubmit = 'hang up';
    return answered(ask());
  },
  compare: async () => {
    for (const id of ['1', '2']) {
      putJob(id, 'uploaded', 0);
      await putProfile(id);
    }
    const { job_id, ...roles } = request([]);
    const ask = (more: object = {}) =>
      jsonEvent('/compare', { job_id, real_job_id: '2', target_col: roles.target_col, ...more }, key);
    await answered(named(ask()));
    for (const onSubmit of ['refuse', 'hang up'] as const) {
      aws.onSubmit = onSubmit;
      putJob('1', 'uploaded', 0);
      await answered(ask());
    }
    putQueued('w');
    putJob('1', 'uploaded', 0);
    const queued = await answered(named(ask({ queue: true })));
    expect(JSON.parse(queued.body).data.status).toBe('queued');
    return queued;
  },
  status: async () => {
    putQueued('1');
    return answered(get('/status/1'));
  },
  download: async () => {
    putJob('1', 'done');
    aws.objects.set(resultKey('1', 1), Buffer.from(CSV));
    return streamed(get('/download/1'));
  },
  report: async () => {
    putJob('1', 'done');
    for (const kind of ['html', 'json'] as const) aws.objects.set(reportKey('1', 1, kind), Buffer.from('{}'));
    await answered(get('/report/1.json'));
    return answered(get('/report/1'));
  },
  receipt: async () => {
    putJob('1', 'done');
    aws.objects.set(manifestKey('1', 1), Buffer.from('{}'));
    expect((await answered(get('/receipt/1'))).statusCode).toBe(409);
    const manifest = Buffer.from(JSON.stringify({ ...manifestOf(), job_id: '1' }));
    aws.objects.set(manifestKey('1', 1), manifest);
    const receipt = JSON.stringify({ manifest_sha256: sha256Of(manifest), input_salt: SALT });
    aws.items.set('JOB#1', { ...aws.items.get('JOB#1'), receipt: { S: receipt } });
    expect((await answered(get('/receipt/1'))).statusCode).toBe(200);
    return answered(get('/receipt-key'));
  },
  callbackSecret: async () => answered(get('/callback-secret')),
  releaseJob: async () => {
    putJob('1', 'done');
    const metrics = { ...METRICS, release: WITHHELD };
    aws.items.set('JOB#1', { ...aws.items.get('JOB#1'), metrics: { S: JSON.stringify(metrics) } });
    return answered(get('/jobs/1/release', 'POST'));
  },
  repeatJob: async () => {
    await answered(named(await uploadEvent(CSV, key)));
    const [id = ''] = [...aws.objects.keys()].flatMap((name) => /^jobs\/(.+)\/upload$/.exec(name)?.[1] ?? []);
    putJob(id, 'uploaded', 0);
    aws.forget();
    expect((await answered(named(get(`/jobs/${id}/repeat`, 'POST')))).statusCode).toBe(201);
    aws.objects.delete(profileKey(id));
    return answered(get(`/jobs/${id}/repeat`, 'POST'));
  },
  eraseJob: async () => {
    putQueued('1');
    putCharge('1');
    await answered(get('/jobs/1', 'DELETE'));
    putJob('1', 'running');
    aws.objects.set(uploadKey('1'), Buffer.from(CSV));
    aws.batchJobs = [{ jobId: 'a', jobName: 'job-1-1', status: 'RUNNING' }];
    return answered(get('/jobs/1', 'DELETE'));
  },
  cancelJob: async () => {
    putQueued('1');
    putCharge('1');
    await answered(get('/jobs/1/cancel', 'POST'));
    putJob('1', 'running');
    aws.batchJobs = [{ jobId: 'a', jobName: 'job-1-1', status: 'RUNNING' }];
    return answered(get('/jobs/1/cancel', 'POST'));
  },
  columns: async () => {
    putJob('1', 'uploaded', 0);
    await putProfile('1');
    return answered(get('/jobs/1/columns'));
  },
  events: async () => {
    putJob('1', 'failed');
    return streamed(get('/events/1'));
  },
  mcp: async () => {
    putJob('1', 'uploaded', 0);
    await putProfile('1');
    const call = (name: string, args: object) => {
      const params = { name, arguments: args };
      return streamed(jsonEvent('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, key));
    };
    const told = z.object({ body: z.string() });
    const columns = told.parse(await call('tables_inspect', { job_id: '1' }));
    expect(columns.body).toContain('suggested role');
    expect(told.parse(await call('tables_upload', { text: CSV })).body).toContain('job_id');
    return call('tables_status', { job_id: '1' });
  },
  describe: async () => answered(get('/docs')),
  pages: async () => answered(get('/')),
  reconcile: async () => {
    const { handler } = await import('../../lambdas/reconcile.ts');
    putJob('1', 'started');
    putCharge('1');
    putJob('2', 'failed');
    aws.batchJobs = [{ jobId: 'a', jobName: 'job-1-1', status: 'FAILED', attempts: [] }];
    await handler({ source: 'aws.events' });
    aws.batchJobs = [{ jobId: 'b', jobName: 'job-2-1', status: 'RUNNABLE', createdAt: 1 }];
    await handler({ source: 'aws.events' });
    aws.items.set('SLOTS', { pk: { S: 'SLOTS' }, running: { SS: ['1#1'] } });
    for (const onSubmit of ['accept', 'refuse'] as const) {
      aws.onSubmit = onSubmit;
      putQueued('3');
      await handler({ source: 'aws.events' });
    }
    putCallback('1', 2);
    putCallback('2', 1);
    return handler({ source: 'aws.batch', detail: { jobName: 'job-1-1', status: 'FAILED' } }).then(() =>
      handler({ source: 'aws.events' }),
    );
  },
  expire: async () => {
    putJob('1', 'done');
    aws.objects.set(uploadKey('1'), Buffer.from(CSV)).set(resultKey('1', 1), Buffer.from(CSV));
    aws.objects.set(uploadKey('no-record'), Buffer.from(CSV));
    putJob('2', 'started');
    putCharge('2');
    putQueued('3');
    for (const id of ['2', '3']) aws.objects.set(erasingKey(id), Buffer.from(id));
    aws.batchJobs = [{ jobId: 'a', jobName: 'job-2-1', status: 'RUNNING' }];
    return (await import('../../lambdas/expire.ts')).handler();
  },
};

describe('access', () => {
  it.each(Object.entries(SCENARIOS))('%s asks for what its policy allows, and for all of it', async (name, play) => {
    await play();
    expect(refused(`Functions${name}Role`)).toEqual([]);
    const elsewhere = ELSEWHERE[name] ?? /^$/;
    expect(unused(`Functions${name}Role`).filter((line) => !elsewhere.test(line))).toEqual([]);
  });

  it('submits a job with text to the GPU queue by the same policy', async () => {
    putJob('1', 'uploaded', 0);
    await putProfile('1');
    aws.items.set('JOB#1', { ...aws.items.get('JOB#1'), request: { S: JSON.stringify(wholeRequest()) } });
    await answered(jsonEvent('/generate', request(['note']), key));
    expect(aws.calls).toContain('batch:SubmitJob batch job-queue/synthetic-tables-dev-gpu');
    expect(refused('FunctionsgenerateRole')).toEqual([]);
  });

  it('a job asks for what its policy allows, and for all of it', async () => {
    putJob('1', 'running');
    aws.objects.set(uploadKey('1'), Buffer.from(CSV));
    const { table, jobs, objects, clock } = openAwsStores({ tableName: 'table', bucketName: 'bucket' }, 'a 1');
    const attempt = { jobId: '1', attempt: 1 };
    const lease = new AttemptLease({ table, jobs, runner: { batchJobId: 'a', run: 1 }, attempt, times: LEASE_TIMES });
    await lease.claim(new AbortController().signal);
    await lease.beat();
    await reportGpu(table, 'A GPU', '2026-01-01T00:00:00.000Z');
    await runAttempt({
      jobs,
      objects,
      clock,
      ...attempt,
      software: SOFTWARE,
      signal: new AbortController().signal,
      log: { info: () => undefined, error: () => undefined },
      pipeline: async () => {
        for (const key of [uploadKey('1'), profileKey('1'), modelKey('1', 1)]) await objects.get(key);
        await checkpointsIn(objects, '1', 1).load();
        await jobs.addEvents('1', 1, [jobEvent(1)]);
        await objects.put(modelKey('1', 1), Buffer.from('{}'));
        await objects.put(resultKey('1', 1), breakingOff()).catch(() => undefined);
        putJob('1', 'failed');
      },
    });
    await lease.handBack();
    expect(refused('ComputeJobRole')).toEqual([]);
    expect(unused('ComputeJobRole').filter((line) => !FOR_404.test(line))).toEqual([]);
  });

  it('the upload service asks for what its policy allows, and for all of it', async () => {
    await upload(CSV);
    await upload('mass,note\n');
    const { openService } = await import('../../lambdas/openService.ts');
    const { service } = openService();
    await uploadFile(service, keyId, { name: 'large.csv', bytes: breakingOff() }).catch(() => undefined);
    expect(refused('UploadServiceTaskTaskRole')).toEqual([]);
    expect(unused('UploadServiceTaskTaskRole')).toEqual([]);
  });
});

/** Being allowed to list is what makes S3 answer 404, not 403, for an object that is not there. No call shows it. */
const FOR_404 = /^s3:ListBucket /;

/** What is allowed and not called here, and why not. */
const ELSEWHERE: Record<string, RegExp> = {
  detectFamily: FOR_404,
  estimate: FOR_404,
  columns: FOR_404,
  // Each tool is a route, and those have tests of their own.
  mcp: /^/,
  download: FOR_404,
  report: FOR_404,
  receipt: FOR_404,
  // The GPU queue has a test of its own.
  // The ledger is that of private tables.
  generate: /^s3:ListBucket |-gpu|bucket\/privacy\//,
  sample: /-gpu/,
  compare: /^s3:ListBucket |-gpu/,
  reconcile: /-gpu/,
  // As GET /status, which it answers with.
  events: /(QUEUE|SLOTS|BatchGetItem JOB#\*)$/,
  // Of a file in parts whose copying breaks off, as the upload service's test shows.
  repeatJob: /^s3:AbortMultipartUpload /,
};

const wholeRequest = () => ({ ...request(['note']), continuous_cols: [], categorical_cols: [] });

/** More than one part of a multipart upload, then a fault. */
async function* breakingOff(): AsyncGenerator<Uint8Array> {
  for (let part = 0; part < 3; part += 1) yield new Uint8Array(8_388_608);
  throw new Error('broken off');
}
