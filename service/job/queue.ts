/**
 * Whose turn it is. Keys take turns: whoever was served longest ago comes first, or, if it was not served since, whoever's
 * oldest job waits longest; within a key, the oldest job. Pure, so that it can be tried at length.
 */
import type { QueuePlace } from '../../packages/contract/replies.ts';
import type { JobLine, QueuedJob } from '../ports.ts';
import type { Job } from './job.ts';

export interface QueueStanding {
  line: JobLine;
  active: readonly Pick<Job, 'keyId' | 'startedAt' | 'estimate'>[];
  /** Slots that are taken: those of active jobs, and of some that are being started. */
  slotsTaken: number;
  maxRunning: number;
  maxRunningPerKey: number;
  /** Memory that a job may take now; null where each has a machine of its own. */
  freeMb: number | null;
}

/** All that wait, in the order in which they would start if their keys had no limit. */
export function orderOf({ jobs, served }: JobLine): QueuedJob[] {
  const byKey = new Map<string, QueuedJob[]>();
  for (const job of jobs) byKey.set(job.keyId, [...(byKey.get(job.keyId) ?? []), job]);
  const turns = [...byKey.values()]
    .map((own) => own.sort(byAge))
    .sort((a, b) => compare(claimOf(a, served), claimOf(b, served)));
  const order: QueuedJob[] = [];
  for (const [first, ...rest] of turns) {
    if (first) order.push(first);
    // Served now, the key stands behind all others: the loop comes to it again.
    if (rest.length > 0) turns.push(rest);
  }
  return order;
}

/**
 * The job to start next, if one may. A key at its own limit is passed over. One that finds too little memory is waited for
 * while others run, so that it is not overtaken for ever; where nothing runs, no end of a job would help it, and others pass.
 */
export function nextInLine(standing: QueueStanding): QueuedJob | undefined {
  const { line, active, slotsTaken, maxRunning, maxRunningPerKey, freeMb } = standing;
  if (slotsTaken >= maxRunning) return undefined;
  const isBelowLimit = (keyId: string) => active.filter((job) => job.keyId === keyId).length < maxRunningPerKey;
  const order = orderOf({ ...line, jobs: line.jobs.filter(({ keyId }) => isBelowLimit(keyId)) });
  const fits = ({ estimate }: QueuedJob) => freeMb === null || estimate.memoryMb <= freeMb;
  return (active.length > 0 ? order.slice(0, 1) : order).find(fits);
}

/** The place of a job that waits; undefined where it does not. */
export function placeIn(standing: QueueStanding, jobId: string, now: number): QueuePlace | undefined {
  const order = orderOf(standing.line);
  const at = order.findIndex((job) => job.jobId === jobId);
  return at < 0 ? undefined : { position: at + 1, seconds: waitOf(standing, order.slice(0, at), now) };
}

/** A job that takes longer than was expected has this share of the expected time to go. */
const OVERDUE = 0.1;

/** Seconds until a slot is free for the job behind `before`, where each takes as long as is expected; null where that is not known. */
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

/** `own` has the oldest job of a key first. */
function claimOf([oldest]: readonly QueuedJob[], served: JobLine['served']): string {
  if (!oldest) return '';
  const [since = ''] = [served.get(oldest.keyId) ?? '', oldest.queuedAt].sort().reverse();
  return `${since} ${oldest.queuedAt} ${oldest.jobId}`;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
