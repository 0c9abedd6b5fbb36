import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { deliverCallbacks } from '../../service/callback/deliverCallbacks.ts';
import { clearCutOff } from '../../service/job/cutOff.ts';
import { expireObjects } from '../../service/job/expire.ts';
import { describeFault } from '../../service/job/failures.ts';
import { reconcileSlots } from '../../service/job/reconcile.ts';
import { startWaiting } from '../../service/job/startWaiting.ts';
import type { CallbackSender, Log } from '../../service/ports.ts';
import type { Service, ServiceSettings } from '../../service/service.ts';
import { createSender } from '../shared/webhookSender.ts';
import { ChildProcessQueue } from './childProcessQueue.ts';
import { type Database, emptyLog, OTHERS } from './database.ts';
import type { FileObjectStore } from './fileObjectStore.ts';
import { Leases, RENEW_MS } from './leases.ts';
import { createStartedGpu } from './localGpu.ts';
import { canTellMemory } from './machineMemory.ts';
import { MemoryCapacity } from './memoryCapacity.ts';
import { openStores } from './openStores.ts';
import { ThreadedWork } from './threadedWork.ts';
import { WorkerUploadReader } from './workerUploadReader.ts';

interface LocalSettings extends ServiceSettings {
  dataDir: string;
  jobTimeoutSeconds: number;
  log: Log;
  /** Starts on objects without a database. */
  startWithoutRecords?: boolean;
  /** Refuses jobs that need more memory than is available; default true. */
  checkMemory?: boolean;
  jobEntry?: string;
  jobNodeFlags?: readonly string[];
}

interface LocalService {
  service: Service;
  /** Call before listening. */
  start(): Promise<void>;
  /** Leaves running jobs to the next start. Call after the last request. */
  close(): Promise<void>;
}

export function openLocal(settings: LocalSettings): LocalService {
  const { log } = settings;
  const dataDir = resolve(settings.dataDir);
  const stores = openStores(dataDir, { withoutRecords: settings.startWithoutRecords ?? false });
  const queue = queueOf(settings, dataDir, stores, () => void startWaiting(service));
  const reader = new WorkerUploadReader();
  const work = new ThreadedWork({ objects: stores.objects });
  const service: Service = {
    jobs: stores.jobs,
    objects: stores.objects,
    keys: stores.keys,
    idempotency: stores.idempotency,
    callbacks: stores.callbacks,
    signer: stores.signer,
    clock: stores.clock,
    clockMarks: stores.clockMarks,
    queue,
    capacity:
      settings.checkMemory !== false && canTellMemory() ? new MemoryCapacity(() => queue.processes()) : undefined,
    reader,
    work,
    log,
    gpu: createStartedGpu(),
    newId: () => randomBytes(16).toString('hex'),
    settings,
  };
  const sender = createSender({
    addresses: settings.callbackAddresses ?? 'public',
    userAgent: `synthetic-tables/${settings.version}`,
  });
  const maintenance = new Maintenance({ service, sender, leaseDatabase: stores.relaxed, queue, files: stores.objects });
  return {
    service,
    async start() {
      warnOfOthers(dataDir, log);
      await stores.signer.publicKey();
      await maintenance.start();
    },
    async close() {
      maintenance.stop();
      await Promise.all([queue.close(), reader.close(), work.close()]);
      stores.close();
    },
  };
}

function queueOf(
  { log, jobTimeoutSeconds, jobEntry, jobNodeFlags }: LocalSettings,
  dataDir: string,
  { jobs, clock }: ReturnType<typeof openStores>,
  onFree: () => void,
): ChildProcessQueue {
  return new ChildProcessQueue({
    dataDir,
    jobs,
    clock,
    log,
    onFree,
    timeoutSeconds: jobTimeoutSeconds,
    ...(jobEntry !== undefined && { entry: jobEntry }),
    ...(jobNodeFlags !== undefined && { nodeFlags: jobNodeFlags }),
  });
}

/** Contents are private, but the folder may be the operator's mount. */
function warnOfOthers(dataDir: string, log: Log): void {
  const mode = statSync(dataDir).mode & OTHERS;
  if (mode === 0 || process.platform === 'win32') return;
  log.error('data_folder_open_to_others', { mode: mode.toString(8), advice: 'chmod 700 the data folder' });
}

const RECONCILE_MS = 5000;
const EXPIRE_MS = 600_000;
const CALL_MS = 1000;
const CALL_BUDGET_MS = 5000;

interface MaintenanceParts {
  service: Service;
  sender: CallbackSender;
  /** Its commits need not survive a power cut: leases are soon renewed. */
  leaseDatabase: Database;
  queue: ChildProcessQueue;
  files: FileObjectStore;
}

class Maintenance {
  readonly #parts: MaintenanceParts;
  readonly #leases: Leases;
  readonly #pending = new Map<string, number>();
  readonly #timers: NodeJS.Timeout[] = [];

  constructor(parts: MaintenanceParts) {
    this.#parts = parts;
    this.#leases = new Leases(parts.leaseDatabase);
  }

  async start(): Promise<void> {
    await this.recover();
    await this.reconcile();
    await this.expire();
    this.#every(RENEW_MS, 'jobs_not_recovered', () => this.recover());
    this.#every(RECONCILE_MS, 'slots_not_reconciled', () => this.reconcile());
    this.#every(CALL_MS, 'callbacks_not_made', () => deliverCallbacks(this.#parts, CALL_BUDGET_MS));
    this.#every(EXPIRE_MS, 'objects_not_expired', () => this.expire());
  }

  stop(): void {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
  }

  async #renew(): Promise<void> {
    const { queue, service } = this.#parts;
    for (const attempt of queue.attempts()) {
      if (this.#leases.renew(attempt, service.clock.now().getTime())) continue;
      await queue.cancel(attempt.jobId, attempt.attempt);
    }
  }

  /** Renews own leases first, since the machine may have slept. */
  async recover(): Promise<void> {
    await this.#renew();
    const { clock, log } = this.#parts.service;
    const { restarted, ended } = this.#leases.recover(clock.now().getTime());
    for (const { jobId, attempt } of ended) log.error('job_failed', { job_id: jobId, attempt, code: 'interrupted' });
    for (const { jobId, attempt } of restarted) {
      log.info('job_restarted', { job_id: jobId, attempt });
      await this.#parts.queue.resume(jobId, attempt);
    }
    await startWaiting(this.#parts.service);
  }

  async reconcile(): Promise<void> {
    await reconcileSlots(this.#parts.service, this.#pending);
  }

  async expire(): Promise<void> {
    await this.#parts.files.removeLeftovers();
    const { service } = this.#parts;
    await service.idempotency.expire(service.clock.now().getTime());
    await clearCutOff(service);
    await expireObjects(service);
    emptyLog(this.#parts.leaseDatabase);
  }

  /** Rounds do not overlap; failed ones are repeated. */
  #every(milliseconds: number, event: string, work: () => Promise<void>): void {
    let busy = false;
    const timer = setInterval(async () => {
      if (busy) return;
      busy = true;
      try {
        await work();
      } catch (error) {
        this.#parts.service.log.error(event, describeFault(error));
      } finally {
        busy = false;
      }
    }, milliseconds);
    timer.unref();
    this.#timers.push(timer);
  }
}
