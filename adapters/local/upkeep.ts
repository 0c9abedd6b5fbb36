/** What runs beside the requests: leases renewed, interrupted jobs recovered, slots reconciled, calls made, old files erased. */
import type { DatabaseSync } from 'node:sqlite';
import { deliverCallbacks } from '../../domain/callback/deliverCallbacks.ts';
import { describeFault } from '../../domain/describeFault.ts';
import { expireObjects } from '../../domain/job/expireObjects.ts';
import { reconcileSlots } from '../../domain/job/reconcileSlots.ts';
import type { CallbackSender } from '../../domain/ports.ts';
import type { Service } from '../../domain/service.ts';
import type { ChildProcessQueue } from './childProcessQueue.ts';
import type { FileObjectStore } from './fileObjectStore.ts';
import { Leases, RENEW_MS } from './leases.ts';

const RECONCILE_MS = 5000;
const EXPIRE_MS = 600_000;
const CALL_MS = 1000;
/** Of one round of calls; those that are left come in the next. */
const CALL_BUDGET_MS = 5000;

export interface UpkeepParts {
  service: Service;
  /** Makes the calls that are owed for jobs that have ended. */
  sender: CallbackSender;
  /** A connection whose commits need not survive a power cut: a lease is written again at once. */
  leaseDatabase: DatabaseSync;
  queue: ChildProcessQueue;
  files: FileObjectStore;
}

export class Upkeep {
  readonly #parts: UpkeepParts;
  readonly #leases: Leases;
  readonly #pending = new Map<string, number>();
  readonly #orphans = new Map<string, number>();
  readonly #timers: NodeJS.Timeout[] = [];

  constructor(parts: UpkeepParts) {
    this.#parts = parts;
    this.#leases = new Leases(parts.leaseDatabase);
  }

  /** Recovers what a killed server has left, then keeps at it. */
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

  /** Lengthens the leases of the jobs that run here; ends the process of one whose attempt is over. */
  async #renew(): Promise<void> {
    const { queue, service } = this.#parts;
    for (const attempt of queue.attempts()) {
      if (this.#leases.renew(attempt, service.clock.now().getTime())) continue;
      await queue.cancel(attempt.jobId, attempt.attempt);
    }
  }

  /** Ends attempts that nobody runs any more. The jobs that run here are renewed first: a machine may have slept. */
  async recover(): Promise<void> {
    await this.#renew();
    const { clock, log } = this.#parts.service;
    for (const { jobId, attempt } of this.#leases.recover(clock.now().getTime())) {
      log.error('job_failed', { job_id: jobId, attempt, code: 'interrupted' });
    }
  }

  async reconcile(): Promise<void> {
    await reconcileSlots(this.#parts.service, this.#pending);
  }

  async expire(): Promise<void> {
    await this.#parts.files.removeLeftovers();
    const { service } = this.#parts;
    await service.answers.expire(service.clock.now().getTime());
    await expireObjects(service, this.#orphans);
  }

  /** Rounds of one kind do not overlap; one that fails is logged and comes again. */
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
