/** The process of one job: told by its environment which, it runs that attempt and ends. */
import { setPriority } from 'node:os';
import { z } from 'zod';
import { lineLog } from '../adapters/local/childLog.ts';
import { openStores } from '../adapters/local/openStores.ts';
import { ENV } from '../domain/job/environment.ts';
import { EXIT } from '../domain/job/exitCodes.ts';
import packageFile from '../package.json' with { type: 'json' };
import { runPipeline } from './pipeline/runPipeline.ts';
import { type AttemptRun, recordFailure, runAttempt } from './runAttempt.ts';
import { startWatchdog } from './watchdog.ts';

/** Behind the server, which has to answer while jobs compute. */
const NICENESS = 10;

const environmentSchema = z.object({
  [ENV.dataDir]: z.string().min(1),
  [ENV.jobId]: z.string().min(1),
  [ENV.jobAttempt]: z.coerce.number().int().min(1),
  [ENV.parentPid]: z.coerce.number().int().min(1),
});

const log = lineLog((text) => process.stdout.write(text));

async function main(): Promise<void> {
  const environment = environmentSchema.safeParse(process.env);
  if (!environment.success) {
    log.error('job_environment_invalid', { variables: environment.error.issues.map(({ path }) => path.join()).join() });
    process.exit(EXIT.badEnvironment);
  }
  startWatchdog(environment.data[ENV.parentPid]);
  lowerPriority();
  const stopping = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopping.abort());
  const stores = openStores(environment.data[ENV.dataDir]);
  const run: AttemptRun = {
    ...stores,
    log,
    version: packageFile.version,
    jobId: environment.data[ENV.jobId],
    attempt: environment.data[ENV.jobAttempt],
    signal: stopping.signal,
    pipeline: runPipeline,
  };
  process.on('uncaughtException', async (error) => process.exit(await recordFailure(run, error)));
  process.exit(await runAttempt(run));
}

/** Systems that refuse are left as they are. */
function lowerPriority(): void {
  try {
    setPriority(NICENESS);
  } catch {
    log.info('job_priority_unchanged');
  }
}

await main();
