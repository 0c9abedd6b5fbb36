import { z } from 'zod';
import { isOnAws, readStoreSettings, runnerName, runnerOf } from '../adapters/aws/awsSettings.ts';
import { createStartedGpu } from '../adapters/local/localGpu.ts';
import { openStores } from '../adapters/local/openStores.ts';
import { lineLog, writerTo } from '../adapters/shared/childLog.ts';
import { JOB_NICENESS, lowerProcess } from '../adapters/shared/priority.ts';
import { softwareFacts } from '../packages/synthesis/report/makeReport.ts';
import { createJsonLog } from '../server/jsonLog.ts';
import { ENV } from '../service/job/environment.ts';
import { EXIT, type ExitCode } from '../service/job/failures.ts';
import { checkpointsIn, textEnvironment, textOpener, textSettings } from './openText.ts';
import { type AttemptRun, recordFailure, runAttempt } from './runAttempt.ts';
import { type JobRun, runJob } from './runJob.ts';
import { startWatchdog } from './watchdog.ts';

const DEFAULT_TIMEOUT_SECONDS = 7200;

const wholeNumber = z.coerce.number().int().min(1);

const environmentSchema = z.object({
  [ENV.jobId]: z.string().min(1),
  [ENV.jobAttempt]: wholeNumber,
  [ENV.jobTimeout]: wholeNumber.default(DEFAULT_TIMEOUT_SECONDS),
  /** Process to exit with. Absent under Batch. */
  [ENV.parentPid]: wholeNumber.optional(),
  [ENV.dataDir]: z.string().min(1).optional(),
  ...textEnvironment,
});
type JobEnvironment = z.infer<typeof environmentSchema>;

process.umask(0o077);

const write = writerTo(process.stdout);

async function main(): Promise<ExitCode> {
  const parsed = environmentSchema.safeParse(process.env);
  if (!parsed.success) return refuse(parsed.error.issues.map(({ path }) => path.join()));
  const environment = parsed.data;
  const stopping = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopping.abort());
  const parentPid = environment[ENV.parentPid];
  if (parentPid === undefined) return supervise(environment, stopping.signal);
  await startWatchdog(parentPid);
  return run(environment, stopping.signal);
}

async function supervise(environment: JobEnvironment, stopping: AbortSignal): Promise<ExitCode> {
  const runner = runnerOf(process.env);
  if (!runner || !isOnAws(process.env)) return refuse([ENV.tableName, ENV.batchJobId, ENV.batchJobAttempt]);
  const { runOnBatch } = await import('../adapters/aws/runOnBatch.ts');
  return runOnBatch({
    attempt: { jobId: environment[ENV.jobId], attempt: environment[ENV.jobAttempt] },
    runner,
    entry: import.meta.filename,
    environment: process.env,
    timeoutSeconds: environment[ENV.jobTimeout],
    stopping,
    gpu: createStartedGpu()(),
    log: createJsonLog(write),
  });
}

async function run(environment: JobEnvironment, signal: AbortSignal): Promise<ExitCode> {
  const stores = await openPorts(environment);
  if (!stores) return refuse([ENV.dataDir, ENV.tableName]);
  const log = lineLog(write);
  lowerPriority();
  const attemptRun: AttemptRun = {
    ...stores,
    log,
    software: softwareFacts(process.env[ENV.containerImage] || null),
    jobId: environment[ENV.jobId],
    attempt: environment[ENV.jobAttempt],
    signal,
    pipeline: (own) => runWithText(own, environment),
  };
  process.on('uncaughtException', async (error) => process.exit(await recordFailure(attemptRun, error)));
  return runAttempt(attemptRun);
}

/** Erases checkpoints at the end; an interrupted job resumes from them. */
async function runWithText(own: JobRun, environment: JobEnvironment): Promise<void> {
  const checkpoints = checkpointsIn(own.objects, own.jobId, own.attempt);
  try {
    await runJob({ ...own, openText: textOpener({ ...textSettings(environment), checkpoints }) });
  } catch (error) {
    if (!own.signal.aborted) await checkpoints.erase();
    throw error;
  }
  await checkpoints.erase();
}

type Ports = Pick<AttemptRun, 'jobs' | 'objects' | 'clock'>;

/** Loads the SDK late, since it takes 0.25 s. */
async function openPorts(environment: JobEnvironment): Promise<Ports | undefined> {
  const runner = runnerOf(process.env);
  const dataDir = environment[ENV.dataDir];
  if (!isOnAws(process.env) || !runner) return dataDir === undefined ? undefined : openStores(dataDir);
  const { openAwsStores } = await import('../adapters/aws/openAws.ts');
  return openAwsStores(readStoreSettings(process.env), runnerName(runner));
}

function refuse(variables: readonly string[]): ExitCode {
  lineLog(write).error('job_environment_invalid', { variables: variables.join() });
  return EXIT.badEnvironment;
}

function lowerPriority(): void {
  try {
    lowerProcess(JOB_NICENESS);
  } catch {
    lineLog(write).info('job_priority_unchanged');
  }
}

process.exit(await main());
