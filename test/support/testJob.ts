/** A job's process that does what the name of its file says: `finish`, `crash`, `memory`, `hang` or `wait`. */

import { openStores } from '../../adapters/local/openStores.ts';
import { lineLog } from '../../adapters/shared/childLog.ts';
import { ENV } from '../../domain/job/environment.ts';
import { resultKey } from '../../domain/job/objectKeys.ts';
import { type PipelineRun, runAttempt } from '../../gpu-job/runAttempt.ts';
import { startWatchdog } from '../../gpu-job/watchdog.ts';
import { METRICS } from './jobFixtures.ts';

const BEHAVIOURS: Record<string, (run: PipelineRun) => Promise<void>> = {
  async finish({ jobs, objects, clock, jobId, attempt }) {
    await jobs.report(jobId, attempt, ['finished']);
    await objects.put(resultKey(jobId, attempt), new TextEncoder().encode('x\n1\n'));
    await jobs.finish(jobId, attempt, METRICS, clock.now().toISOString());
  },
  async crash() {
    process.abort();
  },
  async memory() {
    const kept: number[][] = [];
    for (;;) kept.push(Array.from({ length: 100_000 }, (_, i) => i + 0.5));
  },
  async hang() {
    for (;;);
  },
  async wait() {
    await new Promise((resolve) => setTimeout(resolve, 3_600_000));
  },
};

const { env } = process;
startWatchdog(Number(env[ENV.parentPid]));
const stopping = new AbortController();
process.on('SIGTERM', () => stopping.abort());
const stores = openStores(env[ENV.dataDir] ?? '');
const jobId = env[ENV.jobId] ?? '';
const behaviour = BEHAVIOURS[(await stores.jobs.find(jobId))?.fileName ?? ''];
if (!behaviour) throw new Error('the name of the file says no behaviour');
process.exit(
  await runAttempt({
    ...stores,
    log: lineLog((text) => process.stdout.write(text)),
    version: '0.1.0',
    jobId,
    attempt: Number(env[ENV.jobAttempt]),
    signal: stopping.signal,
    pipeline: behaviour,
  }),
);
