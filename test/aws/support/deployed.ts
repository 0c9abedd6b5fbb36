/** For suites that steer a deployment from inside: its stand-ins, its records, its functions. */
import { randomBytes } from 'node:crypto';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, inject } from 'vitest';
import { closeClients } from '../../../adapters/aws/awsClients.ts';
import { type AwsStores, openAwsStores } from '../../../adapters/aws/openAws.ts';
import { profileKey, uploadKey } from '../../../service/job/objectKeys.ts';
import { Deployment, type Reply } from '../../support/contract.ts';
import { BatchControl } from '../batch/control.ts';
import { clientSettings } from '../deployment/credentials.ts';
import { type RecordsFault, recordsFaultHits, setRecordsFault } from '../deployment/recordsProxy.ts';
import type { DeploymentAddresses } from '../deployment/startDeployment.ts';

/** A request that no other field needs: a number, and nothing to wait for. */
export const QUICK = { target_col: 'price', n_samples: 20, draws: 100, tune: 100, seed: 7 };

export class Deployed {
  readonly api = new Deployment();
  readonly batch: BatchControl;
  readonly stores: AwsStores;
  readonly #addresses: DeploymentAddresses;
  readonly #lambda: LambdaClient;

  constructor(addresses: DeploymentAddresses) {
    this.#addresses = addresses;
    this.api.url = addresses.baseUrl;
    this.api.key = addresses.apiKey;
    this.batch = new BatchControl(addresses.batchUrl);
    this.stores = openAwsStores(addresses);
    this.#lambda = new LambdaClient({ endpoint: addresses.endpoint, ...clientSettings });
  }

  /** POST /generate as it comes: faults make it answer what no test of the contract would let pass. */
  async generate(
    jobId: string,
    fields: object = QUICK,
  ): Promise<{ status: number; retryAfter: string | null; code: string | null }> {
    const answer = await fetch(`${this.api.url}/generate`, {
      method: 'POST',
      headers: { 'X-API-Key': this.api.key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ job_id: jobId, ...fields }),
    });
    const code = /"code":"(\w+)"/.exec(await answer.text())?.[1] ?? null;
    return { status: answer.status, retryAfter: answer.headers.get('Retry-After'), code };
  }

  /** What the schedule does every minute, now. */
  async reconcile(): Promise<void> {
    const { reconcile } = this.#addresses.functions;
    const reply = await this.#lambda.send(new InvokeCommand({ FunctionName: reconcile, Payload: Buffer.from('{}') }));
    expect([reply.StatusCode, reply.FunctionError, String(Buffer.from(reply.Payload ?? []))]).toEqual([
      200,
      undefined,
      'null',
    ]);
  }

  /** The slots that are taken, by their names, as the records say. */
  slots(): Promise<string[]> {
    return this.stores.jobs.slots();
  }

  fault(fault: RecordsFault | null): Promise<void> {
    return setRecordsFault(this.#addresses.recordsProxyUrl, fault);
  }

  faultHits(): Promise<number> {
    return recordsFaultHits(this.#addresses.recordsProxyUrl);
  }

  /** Uploads the same table so many times, a few at a time. */
  async newJobs(content: string, count: number): Promise<string[]> {
    const ids: string[] = [];
    await eachOf(
      Array.from({ length: count }, (_, i) => i),
      async () => {
        ids.push(await this.api.newJob(content));
      },
    );
    return ids;
  }

  /** Jobs over the upload of one, as further uploads of the same file would leave them, in a fraction of the time. */
  async copiesOf(jobId: string, count: number): Promise<string[]> {
    const { jobs, objects } = this.stores;
    const job = await jobs.find(jobId);
    if (!job) throw new Error(`no job ${jobId}`);
    const files = await Promise.all(
      [uploadKey, profileKey].map(async (key) => ({ key, bytes: await this.#read(key(jobId)) })),
    );
    const ids = Array.from({ length: count }, () => randomBytes(16).toString('hex'));
    await eachOf(ids, async (id) => {
      await Promise.all(files.map(({ key, bytes }) => objects.put(key(id), bytes)));
      await jobs.create({ ...job, id });
    });
    return ids;
  }

  async #read(key: string): Promise<Uint8Array> {
    const found = await this.stores.objects.get(key);
    const chunks: Uint8Array[] = [];
    for await (const chunk of found?.body ?? []) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  close(): void {
    closeClients(this.stores.clients);
    this.#lambda.destroy();
  }
}

/** A few at a time. */
async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

/** Polls until the condition holds; fails with what was seen last. */
export async function until<T>(look: () => Promise<T>, holds: (seen: T) => boolean, timeoutMs = 60_000): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (Date.now() > deadline)
      throw new Error(`not within ${timeoutMs} ms; seen last: ${JSON.stringify(seen)?.slice(0, 2000)}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

export const isOk = ({ status }: Reply | { status: number }): boolean => status === 200;

/** A suite over the deployment that this run made. Against one that was there before, its faults cannot be had. */
export function describeDeployed(title: string, suite: (deployed: () => Deployed) => void): void {
  const addresses = inject('deployment');
  describe.runIf(addresses !== null)(title, () => {
    let deployed: Deployed | undefined;
    const get = () => {
      if (!deployed) throw new Error('used outside of a test');
      return deployed;
    };
    beforeAll(() => {
      if (addresses) deployed = new Deployed(addresses);
    });
    beforeEach(async () => {
      await get().fault(null);
      await get().batch.reset();
      await endAll(get());
    });
    afterAll(() => deployed?.close());
    suite(get);
  });
}

/** No test finds a slot that an earlier one left. */
async function endAll(deployed: Deployed): Promise<void> {
  const { jobs } = deployed.stores;
  const failure = { code: 'cancelled', params: { reason: 'cancelled' } } as const;
  const now = new Date().toISOString();
  for (const { jobId, attempt } of (await jobs.line()).jobs) await jobs.failQueued(jobId, attempt, failure, now);
  for (const job of await jobs.active()) await jobs.fail(job.id, job.attempt, failure, now);
  for (const slot of await jobs.slots()) await jobs.freeSlot(slot);
  expect(await jobs.slots()).toEqual([]);
}
