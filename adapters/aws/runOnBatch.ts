/** The process that Batch starts: it supervises another that runs the attempt. */
import { spawn } from 'node:child_process';
import { totalmem } from 'node:os';
import { ENV } from '../../domain/job/environment.ts';
import type { ExitCode } from '../../domain/job/exitCodes.ts';
import type { Attempt } from '../../domain/job/job.ts';
import type { Gpu, Log } from '../../domain/ports.ts';
import { AttemptLease, LEASE_TIMES, type LeaseTimes } from './attemptLease.ts';
import { readStoreSettings } from './awsSettings.ts';
import { reportGpu } from './batchGpu.ts';
import { openAwsStores } from './openAws.ts';
import { type Runner, runnerName } from './runner.ts';
import { superviseAttempt } from './superviseAttempt.ts';

export interface BatchRun {
  attempt: Attempt;
  runner: Runner;
  /** The entry of the process that runs the attempt: it finds this environment, and `PARENT_PID`. */
  entry: string;
  environment: Readonly<Record<string, string | undefined>>;
  timeoutSeconds: number;
  stopping: AbortSignal;
  gpu: Promise<Gpu>;
  log: Log;
  times?: LeaseTimes;
}

/** Of the container's memory, what the heap of JavaScript may take; arrays of numbers lie outside it. */
const HEAP_SHARE = 0.6;

/** Never rejects, once the environment names table and bucket. */
export async function runOnBatch(run: BatchRun): Promise<ExitCode> {
  const { attempt, runner, environment, log, times = LEASE_TIMES } = run;
  const { table, jobs, clock } = openAwsStores(readStoreSettings(environment), runnerName(runner));
  run.gpu
    .then(({ name }) => (name === null ? undefined : reportGpu(table, name, clock.now().toISOString())))
    .catch(() => log.error('gpu_not_reported'));
  return superviseAttempt({
    ...{ attempt, jobs, clock, log, times },
    lease: new AttemptLease({ table, jobs, runner, attempt, times }),
    stopping: run.stopping,
    timeoutSeconds: run.timeoutSeconds,
    spawn: () =>
      spawn(process.execPath, [`--max-old-space-size=${heapMegabytes()}`, ...process.execArgv, run.entry], {
        env: { ...environment, [ENV.parentPid]: String(process.pid) },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
  });
}

function heapMegabytes(): number {
  const limit = process.constrainedMemory();
  return Math.floor((HEAP_SHARE * Math.min(limit > 0 ? limit : Number.POSITIVE_INFINITY, totalmem())) / 2 ** 20);
}
