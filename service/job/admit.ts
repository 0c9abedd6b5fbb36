import { ServiceError } from '../../packages/contract/errors.ts';
import { failure } from '../../packages/contract/problems.ts';
import type { Started } from '../../packages/contract/replies.ts';
import type { JobRequest } from '../../packages/contract/requests.ts';
import type { CallbackStore, QueuedJob, Settlement, StartParts } from '../ports.ts';
import type { Price } from '../privacy/ledger.ts';
import { MAX_QUEUED, RETRY_AFTER_SECONDS, type Service } from '../service.ts';
import { describeFault } from './failures.ts';
import { isUnderWay, slotOf } from './job.ts';
import { nextInLine } from './queue.ts';
import { full, takeSlot } from './slots.ts';
import { standingOf, startWaiting } from './startWaiting.ts';

export interface Asked {
  job: QueuedJob;
  request: JobRequest;
  mayWait: boolean;
  outgoing: Parameters<CallbackStore['enqueue']>[0] | null;
  /** Throws if the price exceeds the budget or the job was started meanwhile. */
  price?(): Promise<Price | undefined>;
  settle(status: Started): Promise<Settlement | undefined>;
  /** Runs after the record is written; throws if something needed is gone. */
  check?(): Promise<void>;
}

/** Retry-After when the queue is full (s). */
const LINE_RETRY_SECONDS = 30;

/**
 * Starts or queues an attempt, or undoes everything. A request that may not wait never overtakes waiting jobs.
 * @throws `job_conflict`; `capacity_exceeded` with Retry-After.
 */
export async function admit(service: Service, asked: Asked): Promise<Started> {
  try {
    await refuseBehindOthers(service, asked.job);
    await takeSlot(service, asked.job.keyId, asked.job);
    await start(service, asked);
    return 'started';
  } catch (error) {
    if (!asked.mayWait || !isForNow(error)) throw error;
  }
  await wait(service, asked);
  await startWaiting(service);
  return 'queued';
}

const isForNow = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === 'capacity_exceeded' && error.params.reason !== 'memory_never_enough';

async function refuseBehindOthers(service: Service, own: QueuedJob): Promise<void> {
  const line = await service.jobs.line();
  if (line.jobs.length === 0) return;
  const standing = await standingOf(service, { ...line, jobs: [...line.jobs, own] });
  if (nextInLine(standing) === own) return;
  throw new ServiceError({ reason: 'others_wait', waiting: line.jobs.length, seconds: RETRY_AFTER_SECONDS });
}

/** Stores the callback first, since a started job may end at any moment. */
async function start(service: Service, asked: Asked): Promise<void> {
  const { job, request, outgoing } = asked;
  const { jobId, attempt, estimate } = job;
  let started = false;
  try {
    await service.capacity?.admit(job, estimate.memoryMb);
    if (outgoing) await service.callbacks.enqueue(outgoing, now(service));
    started = await written(service, asked, 'started', (parts) =>
      service.jobs.start(jobId, attempt, request, now(service), { ...parts, estimate }),
    );
    if (!started) throw await whyNotStarted(service, job);
    await asked.check?.();
    await service.queue.submit(jobId, attempt);
  } catch (error) {
    service.capacity?.release(job);
    await giveBack(service, job, started);
    await dropCall(service, asked, error);
    throw error;
  }
}

/** Prices again if another start changed the ledger, so each round means that one succeeded. */
async function written(
  service: Service,
  asked: Asked,
  status: Started,
  write: (parts: Pick<StartParts, 'settlement' | 'charge'>) => Promise<boolean>,
): Promise<boolean> {
  for (;;) {
    const charge = (await asked.price?.())?.charge;
    const settlement = await asked.settle(status);
    if (await write({ settlement, charge })) return true;
    if (!charge || (await service.jobs.ledger(charge.ledger)).version === charge.version) return false;
  }
}

async function wait(service: Service, asked: Asked): Promise<void> {
  const { job, request, outgoing } = asked;
  const { maxQueuedJobs = MAX_QUEUED.all } = service.settings;
  await refuseFullLine(service, job, maxQueuedJobs);
  try {
    if (outgoing) await service.callbacks.enqueue(outgoing, now(service));
    const isWritten = await written(service, asked, 'queued', async (parts) => {
      const outcome = await service.jobs.enqueue(job, request, maxQueuedJobs, parts);
      if (outcome === 'full') throw lineFull(maxQueuedJobs);
      return outcome === 'queued';
    });
    if (!isWritten) throw new ServiceError({ reason: 'job_changed', job_id: job.jobId });
  } catch (error) {
    await dropCall(service, asked, error);
    throw error;
  }
  await asked.check?.();
  service.log.info('job_queued', { job_id: job.jobId, attempt: job.attempt });
}

/** Concurrent requests of one key may exceed its own limit. */
async function refuseFullLine({ jobs, capacity, settings }: Service, job: QueuedJob, max: number): Promise<void> {
  const room = await capacity?.room();
  if (room && job.estimate.memoryMb > room.everMb) {
    throw new ServiceError({
      reason: 'memory_never_enough',
      needed_mb: job.estimate.memoryMb,
      total_mb: room.everMb,
    });
  }
  const line = await jobs.line();
  if (line.jobs.length >= max) throw lineFull(max);
  const perKey = settings.maxQueuedJobsPerKey ?? MAX_QUEUED.perKey;
  if (line.jobs.filter(({ keyId }) => keyId === job.keyId).length < perKey) return;
  throw new ServiceError({ reason: 'key_queue_full', max: perKey, seconds: LINE_RETRY_SECONDS });
}

const lineFull = (max: number): ServiceError =>
  new ServiceError({ reason: 'queue_full', max, seconds: LINE_RETRY_SECONDS });

const now = ({ clock }: Service): string => clock.now().toISOString();

/** After a conflict, the callback belongs to the other request. */
async function dropCall({ callbacks }: Service, { job, outgoing }: Asked, why: unknown): Promise<void> {
  if (!outgoing || (why instanceof ServiceError && why.code === 'job_conflict')) return;
  await callbacks.erase(job.jobId, job.attempt).catch(() => undefined);
}

async function giveBack(service: Service, { jobId, attempt }: QueuedJob, started: boolean): Promise<void> {
  try {
    if (started) {
      await service.jobs.fail(jobId, attempt, failure({ reason: 'job_not_submitted' }), now(service));
      service.log.error('job_not_submitted', { job_id: jobId, attempt });
    }
    await service.jobs.freeSlot(slotOf(jobId, attempt));
  } catch (error) {
    service.log.error('slot_not_given_back', { job_id: jobId, attempt, ...describeFault(error) });
  }
}

async function whyNotStarted(service: Service, { jobId, attempt }: QueuedJob): Promise<ServiceError> {
  const job = await service.jobs.find(jobId);
  if (job && !isUnderWay(job.state) && job.state !== 'done' && job.attempt === attempt - 1) {
    return full(service.settings.maxRunningJobs);
  }
  return new ServiceError({ reason: 'job_changed', job_id: jobId });
}
