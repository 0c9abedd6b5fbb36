/**
 * A server that takes the SDK's calls, answers from canned items and objects, and keeps a list of what was asked as IAM
 * would see it: `dynamodb:GetItem JOB#1`, `s3:PutObject bucket/jobs/1/upload`. It keeps what
 * is put, empties the line when a job leaves it, and changes and checks nothing else.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';

type Json = Record<string, unknown>;

export interface FakeAws {
  url: string;
  /** Items by partition key, in DynamoDB's JSON. */
  items: Map<string, Json>;
  /** Objects by key. */
  objects: Map<string, Uint8Array>;
  /** Batch jobs as ListJobs and DescribeJobs show them. */
  batchJobs: Json[];
  /** What Batch does with a submission. */
  onSubmit: 'accept' | 'refuse' | 'hang up';
  /** What was asked since the last `forget`. */
  calls: string[];
  forget(): void;
  close(): Promise<void>;
}

export async function startFakeAws(): Promise<FakeAws> {
  const fake = new Fake();
  const server: Server = createServer((request, response) => {
    fake.handle(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  fake.url = `http://127.0.0.1:${address.port}`;
  fake.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return fake;
}

const keySchema = z.object({ pk: z.object({ S: z.string() }) });
const tableCallSchema = z.object({
  Key: keySchema.optional(),
  Item: keySchema.loose().optional(),
  IndexName: z.string().optional(),
  UpdateExpression: z.string().optional(),
  ConditionExpression: z.string().optional(),
});
const batchGetSchema = z.object({ RequestItems: z.record(z.string(), z.object({ Keys: z.array(keySchema) })) });
const transactSchema = z.object({ TransactItems: z.array(z.record(z.string(), tableCallSchema)) });
const querySchema = z.object({
  ExpressionAttributeValues: z.object({ ':phase': z.object({ S: z.string() }).optional() }),
});
const submitSchema = z.object({ jobQueue: z.string(), jobDefinition: z.string(), tags: z.unknown().optional() });

/** What IAM calls the parts of a transaction. */
const IN_TRANSACTION: Record<string, string> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

class Fake implements FakeAws {
  url = '';
  items = new Map<string, Json>();
  objects = new Map<string, Uint8Array>();
  batchJobs: Json[] = [];
  onSubmit: FakeAws['onSubmit'] = 'accept';
  calls: string[] = [];

  close = async (): Promise<void> => undefined;

  forget(): void {
    this.calls = [];
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const target = String(request.headers['x-amz-target'] ?? '');
    if (target.startsWith('DynamoDB')) {
      const answer = this.#records(target.split('.')[1] ?? '', JSON.parse(body.toString()));
      response.setHeader('Content-Type', 'application/x-amz-json-1.0');
      response.writeHead('__type' in answer ? 400 : 200).end(JSON.stringify(answer));
    } else if (request.url?.startsWith('/v1/'))
      this.#compute(request.url.slice(4), JSON.parse(body.toString()), response);
    else this.#files(request, body, response);
  }

  #note(call: string): void {
    this.calls.push(call);
  }

  #records(operation: string, input: unknown): Json {
    if (operation === 'BatchGetItem') {
      const [[table, { Keys }] = ['', { Keys: [] }]] = Object.entries(batchGetSchema.parse(input).RequestItems);
      for (const key of Keys) this.#note(`dynamodb:BatchGetItem ${key.pk.S}`);
      return { Responses: { [table]: Keys.flatMap((key) => this.items.get(key.pk.S) ?? []) }, UnprocessedKeys: {} };
    }
    if (operation === 'TransactWriteItems') {
      const parts = transactSchema.parse(input).TransactItems;
      const reasons = parts.map((part) => ({
        Code: Object.values(part).some((call) => this.#isHeld(call)) ? 'ConditionalCheckFailed' : 'None',
      }));
      if (reasons.some(({ Code }) => Code !== 'None')) {
        return { __type: 'TransactionCanceledException', CancellationReasons: reasons };
      }
      for (const part of parts) {
        for (const [kind, call] of Object.entries(part)) {
          this.#note(`dynamodb:${IN_TRANSACTION[kind]} ${pkOf(call)}`);
          if (call.Item) this.items.set(pkOf(call), call.Item);
          if (call.UpdateExpression?.includes('DELETE #waiting')) this.items.delete(pkOf(call));
        }
      }
      return {};
    }
    if (operation === 'Query') {
      const phase = querySchema.parse(input).ExpressionAttributeValues[':phase']?.S;
      const index = tableCallSchema.parse(input).IndexName;
      this.#note(`dynamodb:Query table/index/${index}${phase === undefined ? '' : ` ${phase}`}`);
      const prefix = phase === 'callback' ? 'CALLBACK#' : 'JOB#';
      return { Items: [...this.items.keys()].filter((pk) => pk.startsWith(prefix)).map((pk) => ({ pk: { S: pk } })) };
    }
    const asked = tableCallSchema.parse(input);
    const pk = pkOf(asked);
    this.#note(`dynamodb:${operation} ${pk}`);
    if (this.#isHeld(asked)) return { __type: 'ConditionalCheckFailedException' };
    return operation === 'GetItem' ? { Item: this.items.get(pk) } : {};
  }

  /** The one condition that is looked at: that a job has no charge to take back. */
  #isHeld(call: z.output<typeof tableCallSchema>): boolean {
    const isAsked = call.ConditionExpression?.includes('attribute_not_exists(#charge)') ?? false;
    return isAsked && this.items.get(pkOf(call))?.charge !== undefined;
  }

  #compute(operation: string, input: unknown, response: ServerResponse): void {
    response.setHeader('Content-Type', 'application/json');
    const answer = (value: Json) => response.end(JSON.stringify(value));
    if (operation === 'submitjob') {
      const { jobQueue, jobDefinition, tags } = submitSchema.parse(input);
      this.#note(`batch:SubmitJob batch job-queue/${jobQueue}`);
      this.#note(`batch:SubmitJob batch job-definition/${jobDefinition}`);
      if (tags) this.#note('batch:TagResource batch job/1');
      if (this.onSubmit === 'hang up') return void response.destroy();
      if (this.onSubmit === 'refuse') response.writeHead(400, { 'x-amzn-errortype': 'ClientException' });
      return void answer({ jobId: '1', jobName: 'job' });
    }
    if (operation === 'terminatejob') {
      this.#note('batch:TerminateJob batch job/1');
      return void answer({});
    }
    const action = { listjobs: 'ListJobs', describejobs: 'DescribeJobs' }[operation] ?? 'DescribeComputeEnvironments';
    this.#note(`batch:${action} *`);
    const environment = { state: 'ENABLED', status: 'VALID', computeResources: { maxvCpus: 4 } };
    return void answer({ jobSummaryList: this.batchJobs, jobs: this.batchJobs, computeEnvironments: [environment] });
  }

  #files(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://s3');
    const [, , ...rest] = decodeURIComponent(url.pathname).split('/');
    const key = rest.join('/');
    const has = (name: string) => url.searchParams.has(name);
    if (has('delete')) {
      for (const [, erased] of body.toString().matchAll(/<Key>([^<]*)</g))
        this.#note(`s3:DeleteObject bucket/${erased}`);
      response.end('<DeleteResult/>');
    } else if (key === '') this.#list(url, response);
    else if (request.method === 'DELETE') {
      this.#note(`s3:${has('uploadId') ? 'AbortMultipartUpload' : 'DeleteObject'} bucket/${key}`);
      response.writeHead(204).end();
    } else if (request.method === 'GET' || request.method === 'HEAD') this.#read(request, key, response);
    else {
      this.#note(`s3:PutObject bucket/${key}`);
      if (request.method === 'PUT' && !has('partNumber')) this.objects.set(key, body);
      const created = '<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>';
      response.writeHead(200, { ETag: '"1"' }).end(has('uploads') ? created : '');
    }
  }

  #list(url: URL, response: ServerResponse): void {
    const prefix = url.searchParams.get('prefix') ?? '';
    this.#note(`s3:ListBucket bucket ${prefix}`);
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix));
    const contents = keys.map(
      (key) => `<Contents><Key>${key}</Key><LastModified>2020-01-01T00:00:00.000Z</LastModified></Contents>`,
    );
    response.end(`<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`);
  }

  #read(request: IncomingMessage, key: string, response: ServerResponse): void {
    this.#note(`s3:GetObject bucket/${key}`);
    const object = this.objects.get(key);
    if (!object) return void response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
    response.writeHead(200, { 'Content-Length': object.byteLength, ETag: '"1"' });
    response.end(request.method === 'HEAD' ? undefined : object);
  }
}

const pkOf = (call: z.infer<typeof tableCallSchema>): string => (call.Key ?? call.Item)?.pk.S ?? '';
