/** The container of a job that does what the name of its file says, supervised as the real one is. */

import { readStoreSettings, runnerName, runnerOf } from '../../../adapters/aws/awsSettings.ts';
import { openAwsStores } from '../../../adapters/aws/openAws.ts';
import { runOnBatch } from '../../../adapters/aws/runOnBatch.ts';
import { lineLog } from '../../../adapters/shared/childLog.ts';
import { runAttempt } from '../../../gpu-job/runAttempt.ts';
import { startWatchdog } from '../../../gpu-job/watchdog.ts';
import { ENV } from '../../../service/job/environment.ts';
import { behaviourOf } from '../../support/behaviours.ts';
import { SOFTWARE } from '../../support/jobFixtures.ts';

const { env } = process;
const runner = runnerOf(env);
if (!runner) throw new Error('this is not Batch');
const [jobId, attempt] = [env[ENV.jobId] ?? '', Number(env[ENV.jobAttempt])];
const stopping = new AbortController();
process.on('SIGTERM', () => stopping.abort());
const log = lineLog((text) => process.stdout.write(text));

if (env[ENV.parentPid] === undefined) {
  const supervised = { attempt: { jobId, attempt }, runner, entry: import.meta.filename, environment: env };
  const gpu = Promise.resolve({ available: false, name: null });
  process.exit(await runOnBatch({ ...supervised, timeoutSeconds: 600, stopping: stopping.signal, gpu, log }));
}
await startWatchdog(Number(env[ENV.parentPid]));
const stores = openAwsStores(readStoreSettings(env), runnerName(runner));
const pipeline = await behaviourOf(stores.jobs, jobId);
const run = { ...stores, log, software: SOFTWARE, jobId, attempt, signal: stopping.signal };
process.exit(await runAttempt({ ...run, pipeline }));
