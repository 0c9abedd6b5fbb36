import { METRICS, type MetricName } from '../adapters/aws/names.ts';
import type { Job } from '../service/job/job.ts';
import type { JobStore } from '../service/ports.ts';

export type Figures = Partial<Record<MetricName, number>>;

export async function standing(jobs: Pick<JobStore, 'active' | 'slots' | 'line'>, now: Date): Promise<Figures> {
  const [active, slots, line] = await Promise.all([jobs.active(), jobs.slots(), jobs.line()]);
  const waiting = active.filter(({ state }) => state === 'started');
  return {
    [METRICS.started]: waiting.length,
    [METRICS.running]: active.length - waiting.length,
    [METRICS.slotsTaken]: slots.length,
    [METRICS.queued]: line.jobs.length,
    [METRICS.oldestWaiting]: Math.max(0, ...waiting.map((job) => secondsSince(job, now))),
  };
}

const secondsSince = (job: Job, now: Date): number => (now.getTime() - Date.parse(job.startedAt ?? '')) / 1000;

interface BatchRuns {
  /** Milliseconds. */
  attempts?: readonly { startedAt?: number | undefined; stoppedAt?: number | undefined }[] | undefined;
}

/** Outcome by the record; minutes of all runs by Batch. A cancelled job did not fail. */
export function ending(job: Job | undefined, runs: BatchRuns): Figures {
  const failed = job?.state === 'failed' && job.error?.code !== 'cancelled';
  return {
    [METRICS.jobMinutes]: minutesOf(runs),
    ...(job?.state === 'done' && { [METRICS.done]: 1 }),
    ...(failed && { [METRICS.failed]: 1 }),
    ...(failed && job.error?.params.reason === 'engine_not_started' && { [METRICS.gpuUnused]: 1 }),
  };
}

function minutesOf({ attempts = [] }: BatchRuns): number {
  const spans = attempts.map(({ startedAt, stoppedAt }) => Math.max(0, (stoppedAt ?? 0) - (startedAt ?? Infinity)));
  return spans.reduce((sum, span) => sum + span, 0) / 60_000;
}

// Embedded metric format: log lines need no call and no permission.

const UNITS: Partial<Record<MetricName, string>> = { OldestWaitingSeconds: 'Seconds' };

export function metricLine(namespace: string, figures: Figures, at: Date): string {
  const metrics = Object.keys(figures).map((name) => ({ Name: name, Unit: UNITS[name as MetricName] ?? 'Count' }));
  const directive = { Namespace: namespace, Dimensions: [[]], Metrics: metrics };
  return JSON.stringify({ _aws: { Timestamp: at.getTime(), CloudWatchMetrics: [directive] }, ...figures });
}
