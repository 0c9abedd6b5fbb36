/**
 * Reconciles everything each minute, or one attempt on a state change; then starts waiting jobs and sends callbacks.
 */
import { z } from 'zod';
import { attemptOfBatchName } from '../adapters/aws/batchJobs.ts';
import { METRICS } from '../adapters/aws/names.ts';
import { ENV } from '../service/job/environment.ts';
import { ending, type Figures, metricLine, standing } from './metrics.ts';
import { openService } from './openService.ts';

const stateChangeSchema = z.object({
  source: z.literal('aws.batch'),
  detail: z.object({
    jobName: z.string(),
    status: z.string(),
    attempts: z.array(z.object({ startedAt: z.number().optional(), stoppedAt: z.number().optional() })).optional(),
  }),
});
type StateChange = z.infer<typeof stateChangeSchema>;

const opened = openService();
const { jobs, clock, log } = opened.service;

export async function handler(event: unknown): Promise<void> {
  const change = stateChangeSchema.safeParse(event);
  if (change.success) await onStateChange(change.data);
  else await onTheMinute();
}

async function onTheMinute(): Promise<void> {
  const { ended, strays, freed } = await opened.reconcile();
  if (ended.length + strays.length + freed.length > 0) {
    log.info('reconciled', { ended: ended.length, strays: strays.length, freed: freed.length });
  }
  await opened.startWaiting();
  await opened.webhookSender();
  write({ ...(await standing(jobs, clock.now())), ...(ended.length > 0 && { [METRICS.failed]: ended.length }) });
}

async function onStateChange({ detail }: StateChange): Promise<void> {
  const attempt = attemptOfBatchName(detail.jobName);
  if (!attempt) return log.info('foreign_batch_job', { status: detail.status });
  await opened.reconcileAttempt(attempt);
  if (detail.status !== 'SUCCEEDED' && detail.status !== 'FAILED') return;
  await opened.startWaiting();
  await opened.webhookSender(attempt.jobId);
  write(ending(await jobs.find(attempt.jobId), detail));
}

function write(figures: Figures): void {
  const namespace = process.env[ENV.metricsNamespace];
  if (namespace) process.stdout.write(`${metricLine(namespace, figures, clock.now())}\n`);
}
