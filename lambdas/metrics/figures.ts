/** What the reconciler sees, in figures. */
import type { Job } from '../../domain/job/job.ts';
import { METRICS } from '../../domain/job/metricNames.ts';
import type { JobStore } from '../../domain/ports.ts';
import type { Figures } from './writeMetrics.ts';

/** How things stand: jobs by state, slots, and how long the job has waited that waits longest. */
export async function standing(jobs: Pick<JobStore, 'active' | 'slots'>, now: Date): Promise<Figures> {
  const [active, slots] = await Promise.all([jobs.active(), jobs.slots()]);
  const waiting = active.filter(({ state }) => state === 'started');
  return {
    [METRICS.started]: waiting.length,
    [METRICS.running]: active.length - waiting.length,
    [METRICS.slotsTaken]: slots.length,
    [METRICS.oldestWaiting]: Math.max(0, ...waiting.map((job) => secondsSince(job, now))),
  };
}

const secondsSince = (job: Job, now: Date): number => (now.getTime() - Date.parse(job.startedAt ?? '')) / 1000;

export interface BatchRuns {
  /** Milliseconds. */
  attempts?: readonly { startedAt?: number | undefined; stoppedAt?: number | undefined }[] | undefined;
}

/** How a job ended, by its record; the minutes of all its runs, by Batch. A cancelled job did not fail. */
export function ending(job: Job | undefined, runs: BatchRuns): Figures {
  const failed = job?.state === 'failed' && job.error?.code !== 'cancelled';
  return {
    [METRICS.jobMinutes]: minutesOf(runs),
    ...(job?.state === 'done' && { [METRICS.done]: 1 }),
    ...(failed && { [METRICS.failed]: 1 }),
  };
}

function minutesOf({ attempts = [] }: BatchRuns): number {
  const spans = attempts.map(({ startedAt, stoppedAt }) => Math.max(0, (stoppedAt ?? 0) - (startedAt ?? Infinity)));
  return spans.reduce((sum, span) => sum + span, 0) / 60_000;
}
