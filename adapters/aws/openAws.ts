/** The service on AWS: records in DynamoDB, files in S3, compute from Batch. */
import { randomBytes } from 'node:crypto';
import { deliverCallback, deliverCallbacks } from '../../domain/callback/deliverCallbacks.ts';
import { ServiceError } from '../../domain/errors.ts';
import { AWS_PRICES } from '../../domain/estimate/prices.ts';
import type { Orphans } from '../../domain/job/expireObjects.ts';
import type { Attempt } from '../../domain/job/job.ts';
import { JOBS_PREFIX, jobOfKey } from '../../domain/job/objectKeys.ts';
import { type Reconciled, reconcileAttempt, reconcileAttempts } from '../../domain/job/reconcileAttempts.ts';
import type { AnswerStore, CallbackStore, Clock, KeyStore, Log, Signer, UploadReader } from '../../domain/ports.ts';
import type { Service, ServiceSettings } from '../../domain/service.ts';
import { createSender } from '../shared/callOut.ts';
import type { AwsSettings, StoreSettings } from './awsSettings.ts';
import { createBatchGpu } from './batchGpu.ts';
import { BatchJobQueue } from './batchJobQueue.ts';
import { BatchJobs } from './batchJobs.ts';
import { type AwsClients, closeClients, createClients } from './clients.ts';
import { DynamoAnswerStore } from './dynamoAnswerStore.ts';
import { DynamoCallbackStore } from './dynamoCallbackStore.ts';
import { DynamoJobStore } from './dynamoJobStore.ts';
import { DynamoKeyStore } from './dynamoKeyStore.ts';
import { dynamoSigner } from './dynamoSigner.ts';
import { RecordTable } from './recordTable.ts';
import { S3ObjectStore } from './s3ObjectStore.ts';

export interface AwsStores {
  clients: AwsClients;
  table: RecordTable;
  jobs: DynamoJobStore;
  objects: S3ObjectStore;
  keys: KeyStore;
  answers: AnswerStore;
  callbacks: CallbackStore;
  signer: Signer;
  clock: Clock;
}

/** Records, files and keys. `runner` names the process of a job: see DynamoJobStore. */
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
    answers: new DynamoAnswerStore(table),
    callbacks: new DynamoCallbackStore(table),
    signer: dynamoSigner(table),
    clock,
  };
}

export interface AwsParts extends ServiceSettings {
  reader: UploadReader;
  log: Log;
}

export interface AwsService {
  service: Service;
  /** Brings all records and slots to agree with Batch: on a schedule. */
  reconcile(): Promise<Reconciled>;
  /** Brings one attempt's record and slot to agree with Batch: on an event of its Batch job. */
  reconcileAttempt(attempt: Attempt): Promise<void>;
  /** Makes the calls that are owed: those that are due, or that of one job. */
  callOut(jobId?: string): Promise<void>;
  /** For `expireObjects`: jobs with files, by the time (ms) of their first file. */
  orphans(): Promise<Orphans>;
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
    ...{ ...stores, queue, reader, log, settings: { prices: AWS_PRICES, ...parts } },
    gpu: createBatchGpu({ compute: clients.compute, table, computeEnvironment, clock, log }),
    newId,
  };
  const reconciliation = { service, compute: batchJobs, limits };
  const addresses = parts.callbackAddresses ?? 'public';
  const calls = { service, sender: createSender({ addresses, userAgent: `synthetic-tables/${parts.version}` }) };
  return {
    service,
    reconcile: async () => reconcileAttempts(reconciliation, await jobs.slotTimes()),
    reconcileAttempt: (attempt) => reconcileAttempt(reconciliation, attempt),
    callOut: (jobId) => (jobId === undefined ? deliverCallbacks(calls, CALL_BUDGET_MS) : deliverCallback(calls, jobId)),
    orphans: () => firstFiles(objects),
    close: () => closeClients(clients),
  };
}

/** The service where only uploads come: the same routes, in a process that has no say over compute. */
export function openUploads(settings: StoreSettings, parts: AwsParts): Pick<AwsService, 'service' | 'close'> {
  const { clients, table: _, ...stores } = openAwsStores(settings);
  const refuse = () => Promise.reject(new ServiceError('compute_unavailable', ELSEWHERE));
  const service: Service = {
    ...{ ...stores, reader: parts.reader, log: parts.log, settings: parts },
    queue: { submit: refuse, cancel: refuse },
    gpu: async () => ({ available: false, name: null }),
    newId,
  };
  return { service, close: () => closeClients(clients) };
}

/** Clients' keys alone, for the operator. */
export function openAwsKeys(tableName: string): { keys: KeyStore; close(): void } {
  const clients = createClients();
  const keys = new DynamoKeyStore(new RecordTable(clients.records, tableName), { now: () => new Date() });
  return { keys, close: () => closeClients(clients) };
}

/** Of the function's 55 seconds. */
const CALL_BUDGET_MS = 15_000;

const newId = (): string => randomBytes(16).toString('hex');

const ELSEWHERE = 'This address takes uploads only. Send the request to the base URL of the service.';

async function firstFiles(objects: S3ObjectStore): Promise<Orphans> {
  const first: Orphans = new Map();
  for (const [key, at] of await objects.listTimes(JOBS_PREFIX)) {
    const jobId = jobOfKey(key);
    first.set(jobId, Math.min(at, first.get(jobId) ?? at));
  }
  return first;
}
