/** A job's process that does what the name of its file says: `finish`, `crash`, `memory`, `hang` or `wait`. */

import { openStores } from '../../adapters/local/openStores.ts';
import { lineLog } from '../../adapters/shared/childLog.ts';
import { runAttempt } from '../../gpu-job/runAttempt.ts';
import { startWatchdog } from '../../gpu-job/watchdog.ts';
import { ENV } from '../../service/job/environment.ts';
import { behaviourOf } from './behaviours.ts';
import { SOFTWARE } from './jobFixtures.ts';

const { env } = process;
await startWatchdog(Number(env[ENV.parentPid]));
const stopping = new AbortController();
process.on('SIGTERM', () => stopping.abort());
const stores = openStores(env[ENV.dataDir] ?? '');
const jobId = env[ENV.jobId] ?? '';
process.exit(
  await runAttempt({
    ...stores,
    log: lineLog((text) => process.stdout.write(text)),
    software: SOFTWARE,
    jobId,
    attempt: Number(env[ENV.jobAttempt]),
    signal: stopping.signal,
    pipeline: await behaviourOf(stores.jobs, jobId),
  }),
);
