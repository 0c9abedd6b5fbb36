import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { Log } from '../../domain/ports.ts';
import type { Service, ServiceSettings } from '../../domain/service.ts';
import { createSender } from '../shared/callOut.ts';
import { ChildProcessQueue } from './childProcessQueue.ts';
import { localGpu } from './gpu.ts';
import { openStores } from './openStores.ts';
import { Upkeep } from './upkeep.ts';
import { WorkerUploadReader } from './workerUploadReader.ts';

export interface LocalSettings extends ServiceSettings {
  dataDir: string;
  /** Seconds that a job may run. */
  jobTimeoutSeconds: number;
  log: Log;
  /** Another entry for the process of a job, and flags for Node before it. */
  jobEntry?: string;
  jobNodeFlags?: readonly string[];
}

export interface LocalService {
  service: Service;
  /** Recovers what a killed server has left, then keeps leases, slots and files in order. Call it before listening. */
  start(): Promise<void>;
  /** Ends the running jobs (`interrupted`) and closes the data folder. Call it when no request is being answered. */
  close(): Promise<void>;
}

/** The service on one machine: SQLite, files, child processes, worker threads. Throws what `openStores` throws. */
export function openLocal(settings: LocalSettings): LocalService {
  const { log, jobTimeoutSeconds, jobEntry, jobNodeFlags } = settings;
  const dataDir = resolve(settings.dataDir);
  const stores = openStores(dataDir);
  const queue = new ChildProcessQueue({
    dataDir,
    jobs: stores.jobs,
    clock: stores.clock,
    log,
    timeoutSeconds: jobTimeoutSeconds,
    ...(jobEntry !== undefined && { entry: jobEntry }),
    ...(jobNodeFlags !== undefined && { nodeFlags: jobNodeFlags }),
  });
  const reader = new WorkerUploadReader();
  const service: Service = {
    jobs: stores.jobs,
    objects: stores.objects,
    keys: stores.keys,
    answers: stores.answers,
    callbacks: stores.callbacks,
    signer: stores.signer,
    clock: stores.clock,
    queue,
    reader,
    log,
    gpu: () => localGpu(),
    newId: () => randomBytes(16).toString('hex'),
    settings,
  };
  const sender = createSender({
    addresses: settings.callbackAddresses ?? 'public',
    userAgent: `synthetic-tables/${settings.version}`,
  });
  const upkeep = new Upkeep({ service, sender, leaseDatabase: stores.relaxed, queue, files: stores.objects });
  return {
    service,
    async start() {
      await stores.signer.publicKey();
      await upkeep.start();
    },
    async close() {
      upkeep.stop();
      await Promise.all([queue.close(), reader.close()]);
      stores.close();
    },
  };
}
