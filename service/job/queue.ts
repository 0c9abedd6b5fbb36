/** The key that was served, or has waited, longest comes first; within a key, the oldest job. */
import type { QueuePlace } from '../../packages/contract/replies.ts';
import type { JobLine, QueuedJob } from '../ports.ts';
import type { Job } from './job.ts';

export interface QueueStanding {
  line: JobLine;
  active: readonly Pick<Job, 'keyId' | 'startedAt' | 'estimate'>[];
  /** Includes slots of jobs being started. */
  slotsTaken: number;
  maxRunning: number;
  maxRunningPerKey: number;
  /** Null if each job has its own machine. */
  freeMb: number | null;
}

export function orderOf({ jobs, served }: JobLine): QueuedJob[] {
  const byKey = new Map<string, QueuedJob[]>();
  for (const job of jobs) byKey.set(job.keyId, [...(byKey.get(job.keyId) ?? []), job]);
  const turns = [...byKey.values()]
    .map((own) => own.sort(byAge))
    .sort((a, b) => compare(claimOf(a, served), claimOf(b, served)));
  const order: QueuedJob[] = [];
  for (const [first, ...rest] of turns) {
    if (first) order.push(first);
    // The served key moves to the end, where this loop reaches it again.
    if (rest.length > 0) turns.push(rest);
  }
  return order;
}

/**
 * Skips keys at their limit. While jobs run, waits for the first job's memory, so that it cannot starve; otherwise
 * waiting would not help it, and others pass.
 */
export function nextInLine(standing: QueueStanding): QueuedJob | undefined {
  const { line, active, slotsTaken, maxRunning, maxRunningPerKey, freeMb } = standing;
  if (slotsTaken >= maxRunning) return undefined;
  const isBelowLimit = (keyId: string) => active.filter((job) => job.keyId === keyId).length < maxRunningPerKey;
  const order = orderOf({ ...line, jobs: line.jobs.filter(({ keyId }) => isBelowLimit(keyId)) });
  const fits = ({ estimate }: QueuedJob) => freeMb === null || estimate.memoryMb <= freeMb;
  return (active.length > 0 ? order.slice(0, 1) : order).find(fits);
}

export function placeIn(standing: QueueStanding, jobId: string, now: number): QueuePlace | undefined {
  const order = orderOf(standing.line);
  const at = order.findIndex((job) => job.jobId === jobId);
  return at < 0 ? undefined : { position: at + 1, seconds: waitOf(standing, order.slice(0, at), now) };
}

/** Remaining time of an overdue job, as a share of the expected time. */
const OVERDUE = 0.1;

/** Returns the seconds until a slot is free behind the jobs `before`; null if an estimate is missing. */
function waitOf({ active, maxRunning }: QueueStanding, before: readonly QueuedJob[], now: number): number | null {
  const left = active.map(({ startedAt, estimate }) => {
    const seconds = estimate?.seconds ?? Number.NaN;
    return Math.max(seconds - (now - Date.parse(startedAt ?? '')) / 1000, OVERDUE * seconds);
  });
  const ends = [...Array.from({ length: Math.max(0, maxRunning - left.length) }, () => 0), ...left];
  for (const { estimate } of before) {
    ends.sort((a, b) => a - b);
    ends.push((ends.shift() ?? 0) + (estimate.seconds ?? Number.NaN));
  }
  return ends.some(Number.isNaN) ? null : Math.ceil(Math.min(...ends));
}

const byAge = (a: QueuedJob, b: QueuedJob): number => compare(a.queuedAt, b.queuedAt) || compare(a.jobId, b.jobId);

function claimOf([oldest]: readonly QueuedJob[], served: JobLine['served']): string {
  if (!oldest) return '';
  const [since = ''] = [served.get(oldest.keyId) ?? '', oldest.queuedAt].sort().reverse();
  return `${since} ${oldest.queuedAt} ${oldest.jobId}`;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
