/** Enough of the Batch API over HTTP to try the adapter against: jobs are only kept, and move when a test says so. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { BatchClient } from '@aws-sdk/client-batch';
import { z } from 'zod';

export interface FakeJob {
  jobId: string;
  jobName: string;
  jobQueue: string;
  status: string;
  createdAt: number;
  submitted: z.infer<typeof submitSchema>;
  [more: string]: unknown;
}

const submitSchema = z.looseObject({
  jobName: z.string(),
  jobQueue: z.string(),
  jobDefinition: z.string(),
  tags: z.record(z.string(), z.string()),
  containerOverrides: z.object({ environment: z.array(z.object({ name: z.string(), value: z.string() })) }),
});

const listSchema = z.object({
  jobQueue: z.string(),
  jobStatus: z.string().optional(),
  filters: z.array(z.object({ name: z.string(), values: z.array(z.string()) })).optional(),
  nextToken: z.string().optional(),
});

/** What becomes of the next calls of an operation, one each: an HTTP status, or no answer with the work done or not. */
export type Fault = number | 'done, no answer' | 'no answer';

export interface FakeBatch {
  jobs: FakeJob[];
  /** Operations in the order in which they came, as `submitjob`. */
  calls: string[];
  faults: Record<string, Fault[]>;
  environments: Record<string, unknown>[];
  client: BatchClient;
  close(): Promise<void>;
}

const PAGE = 2;

export async function startFakeBatch(requestTimeout = 300): Promise<FakeBatch> {
  const batch = {
    jobs: [] as FakeJob[],
    calls: [] as string[],
    faults: {} as Record<string, Fault[]>,
    environments: [],
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const operation = (request.url ?? '').replace('/v1/', '');
    batch.calls.push(operation);
    const fault = batch.faults[operation]?.shift();
    if (typeof fault === 'number') return answer(response, fault, { message: 'no' });
    if (fault === 'no answer') return;
    const result = respond(batch, operation, JSON.parse(Buffer.concat(chunks).toString()));
    if (fault !== 'done, no answer') answer(response, 200, result);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const client = new BatchClient({
    endpoint: `http://127.0.0.1:${address.port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
    requestHandler: { requestTimeout, throwOnRequestTimeout: true },
  });
  const close = async () => {
    client.destroy();
    server.closeAllConnections();
    server.close();
    await sleep(0);
  };
  return { ...batch, client, close };
}

type State = Pick<FakeBatch, 'jobs' | 'environments'>;

function respond({ jobs, environments }: State, operation: string, body: unknown): unknown {
  if (operation === 'submitjob') return submit(jobs, submitSchema.parse(body));
  if (operation === 'listjobs') return list(jobs, listSchema.parse(body));
  if (operation === 'describejobs') {
    const { jobs: ids } = z.object({ jobs: z.array(z.string()) }).parse(body);
    return { jobs: jobs.filter(({ jobId }) => ids.includes(jobId)) };
  }
  if (operation === 'terminatejob') {
    const { jobId } = z.object({ jobId: z.string() }).parse(body);
    for (const job of jobs) if (job.jobId === jobId) job.status = 'FAILED';
    return {};
  }
  return { computeEnvironments: environments };
}

function submit(jobs: FakeJob[], submitted: FakeJob['submitted']) {
  const jobId = `batch-${jobs.length + 1}`;
  const { jobName, jobQueue } = submitted;
  jobs.push({ jobId, jobName, jobQueue, status: 'SUBMITTED', createdAt: Date.now(), submitted });
  return { jobId, jobName };
}

/** As Batch: a name matches in any case, and with a name the status is not asked. */
function list(jobs: FakeJob[], query: z.infer<typeof listSchema>) {
  const name = query.filters?.[0]?.values[0];
  const found = jobs.filter((job) => {
    if (job.jobQueue !== query.jobQueue) return false;
    return name === undefined ? job.status === query.jobStatus : job.jobName.toLowerCase() === name.toLowerCase();
  });
  const from = Number(query.nextToken ?? 0);
  const more = from + PAGE < found.length ? { nextToken: String(from + PAGE) } : {};
  return { jobSummaryList: found.slice(from, from + PAGE), ...more };
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  const type = status === 429 ? 'TooManyRequestsException' : status < 500 ? 'ClientException' : 'ServerException';
  response.writeHead(status, {
    'Content-Type': 'application/json',
    ...(status >= 400 && { 'x-amzn-ErrorType': type }),
  });
  response.end(JSON.stringify(body));
}
