import { type KeyObject, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { ServiceError } from '../../packages/contract/errors.ts';
import type { MachinePrices } from '../../packages/synthesis/estimate/sizes.ts';
import { deliverCallback, deliverCallbacks } from '../../service/callback/deliverCallbacks.ts';
import { inlineWork } from '../../service/heavyWork.ts';
import type { Attempt } from '../../service/job/job.ts';
import { type Reconciled, reconcileAttempt, reconcileAttempts } from '../../service/job/reconcile.ts';
import { startWaiting } from '../../service/job/startWaiting.ts';
import {
  type CallbackStore,
  type Clock,
  type ClockMarks,
  type IdempotencyStore,
  KEY_RIGHTS,
  type KeyRecord,
  type KeyRight,
  type KeyStore,
  type Log,
  type Signer,
  type UploadReader,
} from '../../service/ports.ts';
import type { Service, ServiceSettings } from '../../service/service.ts';
import {
  createSigner,
  isSecretOf,
  keyOfSeed,
  makeKey,
  makeSeed,
  packRights,
  publicBytes,
  readKey,
  unpackRights,
} from '../shared/keys.ts';
import { createSender } from '../shared/webhookSender.ts';
import { type AwsClients, closeClients, createClients } from './awsClients.ts';
import type { AwsSettings, StoreSettings } from './awsSettings.ts';
import { createBatchGpu } from './batchGpu.ts';
import { BatchJobQueue, BatchJobs } from './batchJobs.ts';
import { DynamoCallbackStore } from './dynamoCallbackStore.ts';
import { DynamoIdempotencyStore } from './dynamoIdempotencyStore.ts';
import { DynamoJobStore } from './dynamoJobStore.ts';
import { ITEMS, RECORDS } from './names.ts';
import { type Item, number, RecordTable, setOf, text } from './recordTable.ts';
import { S3ObjectStore } from './s3ObjectStore.ts';

export interface AwsStores {
  clients: AwsClients;
  table: RecordTable;
  jobs: DynamoJobStore;
  objects: S3ObjectStore;
  keys: KeyStore;
  idempotency: IdempotencyStore;
  callbacks: CallbackStore;
  signer: Signer;
  clock: Clock;
  clockMarks: ClockMarks;
}

/** `runner` names a job's process; see DynamoJobStore. */
export function openAwsStores({ tableName, bucketName }: StoreSettings, runner?: string): AwsStores {
  const clients = createClients();
  const table = new RecordTable(clients.records, tableName);
  const clock: Clock = { now: () => new Date() };
  return {
    clients,
    table,
    jobs: new DynamoJobStore(table, runner),
    objects: new S3ObjectStore(clients.files, bucketName),
    keys: new DynamoKeyStore(table, clock),
    idempotency: new DynamoIdempotencyStore(table),
    callbacks: new DynamoCallbackStore(table),
    signer: dynamoSigner(table),
    clock,
    clockMarks: dynamoClockMarks(table),
  };
}

interface AwsParts extends ServiceSettings {
  reader: UploadReader;
  log: Log;
}

export interface AwsService {
  service: Service;
  /** On a schedule. */
  reconcile(): Promise<Reconciled>;
  /** On a Batch event. */
  reconcileAttempt(attempt: Attempt): Promise<void>;
  startWaiting(): Promise<void>;
  /** All due, or that of one job. */
  webhookSender(jobId?: string): Promise<void>;
  close(): void;
}

export function openAws(settings: AwsSettings, parts: AwsParts): AwsService {
  const { clients, table, ...stores } = openAwsStores(settings);
  const { jobs, objects, clock } = stores;
  const { log, reader } = parts;
  const { gpu, cpu, computeEnvironment, limits } = settings;
  const batchJobs = new BatchJobs(clients.compute, [gpu.queue, cpu.queue]);
  const queue = new BatchJobQueue({ submission: clients.submission, batchJobs, jobs, gpu, cpu, log });
  const service: Service = {
    ...stores,
    queue,
    reader,
    log,
    settings: { prices: AWS_PRICES, ...parts },
    work: inlineWork(objects),
    gpu: createBatchGpu({ compute: clients.compute, table, computeEnvironment, clock, log }),
    newId,
  };
  const reconciliation = { service, compute: batchJobs, limits };
  const addresses = parts.callbackAddresses ?? 'public';
  const sender = createSender({ addresses, userAgent: `synthetic-tables/${parts.version}` });
  const calls = { service, sender };
  return {
    service,
    reconcile: async () => reconcileAttempts(reconciliation, await jobs.slotTimes()),
    reconcileAttempt: (attempt) => reconcileAttempt(reconciliation, attempt),
    startWaiting: () => startWaiting(service),
    webhookSender: (jobId) =>
      jobId === undefined ? deliverCallbacks(calls, CALL_BUDGET_MS) : deliverCallback(calls, jobId),
    close: () => closeClients(clients),
  };
}

/** The same routes without access to compute. */
export function openUploads(settings: StoreSettings, parts: AwsParts): Pick<AwsService, 'service' | 'close'> {
  const { clients, table: _, ...stores } = openAwsStores(settings);
  const refuse = () => Promise.reject(new ServiceError({ reason: 'uploads_only' }));
  const service: Service = {
    ...stores,
    reader: parts.reader,
    log: parts.log,
    settings: parts,
    work: inlineWork(stores.objects),
    queue: { submit: refuse, cancel: refuse },
    gpu: async () => ({ available: false, name: null }),
    newId,
  };
  return { service, close: () => closeClients(clients) };
}

export function openAwsKeys(tableName: string): { keys: KeyStore; close(): void } {
  const clients = createClients();
  const keys = new DynamoKeyStore(new RecordTable(clients.records, tableName), { now: () => new Date() });
  return { keys, close: () => closeClients(clients) };
}

/** Of the function's 55 seconds. */
const CALL_BUDGET_MS = 15_000;

const newId = (): string => randomBytes(16).toString('hex');

export const dynamoClockMarks = (table: RecordTable): ClockMarks => ({
  async last() {
    const item = await table.get(ITEMS.clock);
    return item && { seenAt: Number(item.seenAt?.N), trustedFrom: Number(item.trustedFrom?.N) };
  },
  async mark({ seenAt, trustedFrom }) {
    await table.update(ITEMS.clock, {
      update: 'SET #seenAt = :seenAt, #trustedFrom = :trustedFrom',
      values: { ':seenAt': number(seenAt), ':trustedFrom': number(trustedFrom) },
    });
  },
});

// Only roles that sign may read this item.

const dynamoSigner = (table: RecordTable): Signer =>
  createSigner(
    () => openKey(table),
    async () => (await table.get(ITEMS.signingPublic))?.publicKey?.B ?? null,
  );

/** Concurrent processes all use the first key. */
async function openKey(table: RecordTable): Promise<KeyObject> {
  if (!(await readSeed(table))) await table.transact([table.putNewOf(ITEMS.signing, { seed: { B: makeSeed() } })]);
  const seed = await readSeed(table);
  if (!seed) throw new Error('the signing key was written and is not there');
  const key = keyOfSeed(seed);
  await table.transact([table.putNewOf(ITEMS.signingPublic, { publicKey: { B: publicBytes(key) } })]);
  return key;
}

const readSeed = async (table: RecordTable): Promise<Uint8Array | undefined> =>
  (await table.get(ITEMS.signing))?.seed?.B;

// List prices of us-east-1 on demand (docs/scale.md); regions, contracts and Spot differ.

/** Per hour: g6.xlarge 0.8048, 60 GB gp3 0.0066, IPv4 0.005; Fargate: 4 vCPU at 0.04048, 16 GB at 0.004445, IPv4. */
export const AWS_PRICES: MachinePrices = {
  gpu: { dollarsPerHour: 0.8164, startSeconds: 240 },
  cpu: { dollarsPerHour: 0.238, startSeconds: 68 },
  requestDollars: 0.0008,
  assumes:
    'List prices of us-east-1 on demand, a machine of its own that is started for the job, no time in which it stands idle',
};

// One item per key, and a list of all, which saves scanning the jobs.

const keySchema = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.string(),
  revokedAt: z.string().nullable(),
  rights: z.string().transform(unpackRights),
});

const itemKey = (keyId: string): string => `${ITEMS.keyPrefix}${keyId}`;

export class DynamoKeyStore implements KeyStore {
  readonly #table: RecordTable;
  readonly #clock: Clock;

  constructor(table: RecordTable, clock: Clock) {
    this.#table = table;
    this.#clock = clock;
  }

  async create(name: string, rights: readonly KeyRight[]): Promise<{ key: string; record: KeyRecord }> {
    const made = await this.#put(name, rights);
    if (!made) throw new Error('two keys were given one id');
    return made;
  }

  createFirst(name: string): Promise<{ key: string; record: KeyRecord } | undefined> {
    return this.#put(name, KEY_RIGHTS, 'attribute_not_exists(#ids)');
  }

  /** Condition: a new id, and `condition` on the list. */
  async #put(
    name: string,
    rights: readonly KeyRight[],
    condition?: string,
  ): Promise<{ key: string; record: KeyRecord } | undefined> {
    const { id, key, secretHash } = makeKey();
    const createdAt = this.#clock.now().toISOString();
    const made = await this.#table.transact([
      this.#table.putNewOf(itemKey(id), {
        name: text(name),
        createdAt: text(createdAt),
        secretHash: { B: secretHash },
        rights: text(packRights(rights)),
      }),
      this.#table.updateOf(ITEMS.keys, {
        update: 'ADD #ids :id',
        ...(condition && { condition }),
        values: { ':id': setOf(id) },
      }),
    ]);
    return made ? { key, record: { id, name, createdAt, revokedAt: null, rights } } : undefined;
  }

  async verify(key: string): Promise<KeyRecord | undefined> {
    const { id, secret } = readKey(key);
    const item = await this.#table.get(itemKey(id));
    if (!isSecretOf(secret, item?.secretHash?.B) || item === undefined) return undefined;
    const record = recordOf(item);
    return record.revokedAt === null ? record : undefined;
  }

  async list(): Promise<KeyRecord[]> {
    const ids = (await this.#table.get(ITEMS.keys))?.ids?.SS ?? [];
    const items = await this.#table.getAll(ids.map(itemKey));
    const order = ({ createdAt, id }: KeyRecord) => `${createdAt} ${id}`;
    return items.map(recordOf).sort((a, b) => (order(a) < order(b) ? -1 : 1));
  }

  async revoke(keyId: string): Promise<boolean> {
    const at = this.#clock.now().toISOString();
    const { held } = await this.#table.update(itemKey(keyId), {
      update: 'SET #revokedAt = :at',
      condition: 'attribute_exists(#secretHash) AND attribute_not_exists(#revokedAt)',
      values: { ':at': text(at) },
    });
    return held;
  }
}

const recordOf = (item: Item): KeyRecord =>
  keySchema.parse({
    id: item[RECORDS.partitionKey]?.S?.slice(ITEMS.keyPrefix.length),
    name: item.name?.S,
    createdAt: item.createdAt?.S,
    revokedAt: item.revokedAt?.S ?? null,
    rights: item.rights?.S,
  });
