/** The process of one job: told by its environment which, it runs that attempt and ends. */
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { isOnAws, readStoreSettings } from '../adapters/aws/awsSettings.ts';
import { runnerName, runnerOf } from '../adapters/aws/runner.ts';
import { localGpu } from '../adapters/local/gpu.ts';
import { openStores } from '../adapters/local/openStores.ts';
import { readTextBaseFiles } from '../adapters/local/textBaseFiles.ts';
import { lineLog, writerTo } from '../adapters/shared/childLog.ts';
import { ENV } from '../domain/job/environment.ts';
import { EXIT, type ExitCode } from '../domain/job/exitCodes.ts';
import packageFile from '../package.json' with { type: 'json' };
import { createJsonLog } from '../server/jsonLog.ts';
import { checkpointsIn, type TextSettings, textOpener } from './openText.ts';
import type { PipelineRun } from './pipeline/pipelineRun.ts';
import { runPipeline } from './pipeline/runPipeline.ts';
import { type AttemptRun, recordFailure, runAttempt } from './runAttempt.ts';
import { softwareFacts } from './softwareFacts.ts';
import { BACKENDS } from './tensor/engines/openEngine.ts';
import { startWatchdog } from './watchdog.ts';

/** Behind the server, which has to answer while jobs compute. */
const NICENESS = 10;

const DEFAULT_TIMEOUT_SECONDS = 7200;

/** Where `npm run text-base` puts what it fetches. */
const FETCHED_TEXT_BASE = join(import.meta.dirname, '..', '.cache', 'text-base');

const wholeNumber = z.coerce.number().int().min(1);

const environmentSchema = z.object({
  [ENV.jobId]: z.string().min(1),
  [ENV.jobAttempt]: wholeNumber,
  [ENV.jobTimeout]: wholeNumber.default(DEFAULT_TIMEOUT_SECONDS),
  /** The process that this one ends with. Absent where Batch starts it: it is then itself that process. */
  [ENV.parentPid]: wholeNumber.optional(),
  [ENV.dataDir]: z.string().min(1).optional(),
  [ENV.tensorBackend]: z.enum(BACKENDS).default('auto'),
  [ENV.textBase]: z.string().default(FETCHED_TEXT_BASE),
});
type JobEnvironment = z.infer<typeof environmentSchema>;

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

/** In the container. */
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
    gpu: localGpu(),
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
    software: softwareFacts(packageFile.version, process.env),
    jobId: environment[ENV.jobId],
    attempt: environment[ENV.jobAttempt],
    signal,
    pipeline: (own) => runWithText(own, environment),
  };
  process.on('uncaughtException', async (error) => process.exit(await recordFailure(attemptRun, error)));
  return runAttempt(attemptRun);
}

/** A job that ends, well or not, leaves no checkpoint; one that is interrupted goes on from it. */
async function runWithText(own: PipelineRun, environment: JobEnvironment): Promise<void> {
  const checkpoints = checkpointsIn(own.objects, own.jobId, own.attempt);
  try {
    await runPipeline({ ...own, openText: textOpener({ ...textSettings(environment), checkpoints }) });
  } catch (error) {
    if (!own.signal.aborted) await checkpoints.erase();
    throw error;
  }
  await checkpoints.erase();
}

const textSettings = (environment: JobEnvironment): Omit<TextSettings, 'checkpoints'> => ({
  backend: environment[ENV.tensorBackend],
  hasGpu: async () => (await localGpu()).available,
  basePath: environment[ENV.textBase] || null,
  readFiles: readBaseFiles,
});

/** From S3 where the path is an address there; the SDK is loaded where it is used. */
async function readBaseFiles(path: string, isWanted: (name: string) => boolean) {
  if (!path.startsWith('s3://')) return readTextBaseFiles(path, isWanted);
  const { readTextBaseObjects } = await import('../adapters/aws/textBaseObjects.ts');
  return readTextBaseObjects(path, isWanted);
}

type Ports = Pick<AttemptRun, 'jobs' | 'objects' | 'clock'>;

/** The SDK is loaded where it is used: it takes a quarter of a second. */
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

/** Systems that refuse are left as they are. */
function lowerPriority(): void {
  try {
    setPriority(NICENESS);
  } catch {
    lineLog(write).info('job_priority_unchanged');
  }
}

process.exit(await main());
