import { ServiceError } from '../../packages/contract/errors.ts';
import { failure } from '../../packages/contract/problems.ts';
import { stricterPolicy } from '../../packages/contract/releasePolicy.ts';
import type { QueuePlace } from '../../packages/contract/replies.ts';
import type { JobLine, QueuedJob } from '../ports.ts';
import type { Service } from '../service.ts';
import { describeFault } from './failures.ts';
import { type Job, slotOf } from './job.ts';
import { nextInLine, placeIn, type QueueStanding } from './queue.ts';
import { takeSlot } from './slots.ts';

type Parts = Pick<Service, 'jobs' | 'capacity' | 'settings'>;
type StartParts = Parts & Pick<Service, 'queue' | 'clock' | 'log'>;

export async function standingOf({ jobs, capacity, settings }: Parts, line: JobLine): Promise<QueueStanding> {
  const [active, slots, room] = await Promise.all([jobs.active(), jobs.slots(), capacity?.room()]);
  const { maxRunningJobs, maxRunningJobsPerKey = maxRunningJobs } = settings;
  const limits = { maxRunning: maxRunningJobs, maxRunningPerKey: maxRunningJobsPerKey };
  return { line, active, slotsTaken: slots.length, ...limits, freeMb: room?.nowMb ?? null };
}

export async function placeOf(
  service: Parts & Pick<Service, 'clock'>,
  { id, state }: Pick<Job, 'id' | 'state'>,
): Promise<QueuePlace | undefined> {
  if (state !== 'queued') return undefined;
  const standing = await standingOf(service, await service.jobs.line());
  return placeIn(standing, id, service.clock.now().getTime());
}

/** Safe concurrently: whoever takes a waiting job's slot starts it. Never throws; the next call retries. */
export async function startWaiting(service: StartParts): Promise<void> {
  try {
    while (await startNext(service));
  } catch (error) {
    service.log.error('queue_not_moved', describeFault(error));
  }
}

async function startNext(service: StartParts): Promise<boolean> {
  const line = await service.jobs.line();
  if (line.jobs.length === 0) return false;
  if (await endTooLarge(service, line)) return true;
  const next = nextInLine(await standingOf(service, line));
  return next !== undefined && startOne(service, next);
}

/** The job was queued on a larger machine. */
async function endTooLarge({ jobs, capacity, clock, log }: StartParts, line: JobLine): Promise<boolean> {
  const total_mb = (await capacity?.room())?.everMb ?? Number.POSITIVE_INFINITY;
  const job = line.jobs.find(({ estimate }) => estimate.memoryMb > total_mb);
  if (!job) return false;
  const { jobId, attempt } = job;
  const why = failure({ reason: 'machine_too_small', needed_mb: job.estimate.memoryMb, total_mb });
  const isEnded = await jobs.failQueued(jobId, attempt, why, clock.now().toISOString());
  if (isEnded) log.error('job_failed', { job_id: jobId, attempt, code: why.code });
  return isEnded;
}

async function startOne(service: StartParts, job: QueuedJob): Promise<boolean> {
  const { jobs, queue, capacity, log } = service;
  const { jobId, attempt, keyId } = job;
  if (!(await hasSlot(service, job))) return false;
  let isStarted = false;
  try {
    await capacity?.admit(job, job.estimate.memoryMb);
    isStarted = await writeStart(service, job);
    if (isStarted) await queue.submit(jobId, attempt);
  } catch (error) {
    log.error('job_not_submitted', { job_id: jobId, attempt, key_id: keyId, ...describeFault(error) });
    if (isStarted) await jobs.requeue(job);
    isStarted = false;
  }
  if (isStarted) log.info('job_started', { job_id: jobId, attempt, queued: true });
  else {
    capacity?.release(job);
    await jobs.freeSlot(slotOf(jobId, attempt));
  }
  return isStarted;
}

async function hasSlot(service: StartParts, job: QueuedJob): Promise<boolean> {
  try {
    await takeSlot(service, job.keyId, job);
    return true;
  } catch (error) {
    if (error instanceof ServiceError && ['capacity_exceeded', 'job_conflict'].includes(error.code)) return false;
    throw error;
  }
}

/** The operator's policy may have become stricter. */
async function writeStart({ jobs, clock, settings }: StartParts, job: QueuedJob): Promise<boolean> {
  const request = (await jobs.find(job.jobId))?.request;
  if (!request) return false;
  // A comparison's rows already belong to their owner.
  const policy = request.compared_with ? null : stricterPolicy(request.policy, settings.releasePolicy ?? null);
  return jobs.startQueued(job, { ...request, policy }, clock.now().toISOString());
}
