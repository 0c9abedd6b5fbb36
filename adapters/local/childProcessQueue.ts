import { writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../packages/contract/errors.ts';
import { ENV } from '../../service/job/environment.ts';
import { describeFault, EXIT, endingFailure, INTERRUPTED, type ProcessEnding } from '../../service/job/failures.ts';
import { type Attempt, slotOf } from '../../service/job/job.ts';
import type { Clock, JobQueue, JobStore, Log } from '../../service/ports.ts';
import { RETRY_AFTER_SECONDS } from '../../service/service.ts';
import { passOn } from '../shared/childLog.ts';
import { heapLimitFlag } from '../shared/heapLimit.ts';
import { cacheFolder, compileCacheEnvironment } from './cacheFolder.ts';
import { ProcessStarter, type StartedProcess } from './processStarter.ts';

/** A path, not an import, since it starts a process. */
const JOB_ENTRY = join(import.meta.dirname, '..', '..', 'gpu-job', `main${extname(import.meta.filename)}`);

const PASSED_ON = [ENV.tensorBackend, ENV.textBase] as const;

/** Defaults to the folder of `synthetic-tables text-base`. */
const passedOn = (): Record<string, string> => ({
  [ENV.textBase]: cacheFolder('text-base'),
  ...Object.fromEntries(
    PASSED_ON.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  ),
});

/** Grace at shutdown, and between attempts to record an end (ms). */
const STOP_MS = 5000;
const SETTLE_AGAIN_MS = 2000;

interface RestartableJobs extends JobStore {
  restart(jobId: string, attempt: number, by: 'here' | 'left'): Promise<boolean>;
}

interface ChildProcessQueueOptions {
  dataDir: string;
  jobs: RestartableJobs;
  clock: Clock;
  log: Log;
  timeoutSeconds: number;
  onFree?: () => void;
  entry?: string;
  nodeFlags?: readonly string[];
}

interface Running extends Attempt {
  child: StartedProcess;
  killedFor?: NonNullable<ProcessEnding['killedFor']>;
  /** Resolves when the end is recorded. */
  ended: Promise<void>;
}

export class ChildProcessQueue implements JobQueue {
  readonly #options: ChildProcessQueueOptions;
  readonly #running = new Map<string, Running>();
  readonly #starter = new ProcessStarter();
  #closing = false;

  constructor(options: ChildProcessQueueOptions) {
    this.#options = options;
  }

  async submit(jobId: string, attempt: number): Promise<void> {
    const slot = slotOf(jobId, attempt);
    if (this.#running.has(slot)) return;
    if (this.#closing) throw noProcess('the service is being stopped');
    const child = this.#start(jobId, attempt);
    const running: Running = { jobId, attempt, child, ended: Promise.resolve() };
    running.ended = this.#watch(running).finally(() => this.#running.delete(slot));
    this.#running.set(slot, running);
    await child.spawned.catch((error: unknown) => {
      throw noProcess('the system refused to start a process', error);
    });
    makeFirstVictim(child.pid);
  }

  async cancel(jobId: string, attempt: number): Promise<void> {
    const running = this.#running.get(slotOf(jobId, attempt));
    if (!running) return;
    kill(running, 'over');
    await running.ended;
  }

  processes(): ReadonlyMap<string, number> {
    return new Map(
      [...this.#running].flatMap(([slot, { child }]) => (child.pid === undefined ? [] : [[slot, child.pid]])),
    );
  }

  /** Includes ends not yet recorded. */
  attempts(): Attempt[] {
    return [...this.#running.values()].map(({ jobId, attempt }) => ({ jobId, attempt }));
  }

  /** Leaves attempts to the next server, or ends those restarted before; stops processes, at last by force. */
  async close(): Promise<void> {
    this.#closing = true;
    const running = [...this.#running.values()];
    for (const each of running) {
      each.killedFor ??= 'shutdown';
      await this.#restart(each);
      each.child.kill('SIGTERM');
    }
    const force = setTimeout(() => {
      for (const { child } of running) child.kill('SIGKILL');
    }, STOP_MS);
    await Promise.all(running.map(({ ended }) => ended));
    clearTimeout(force);
    this.#starter.close();
  }

  /** The child gets only the environment that it needs. */
  #start(jobId: string, attempt: number): StartedProcess {
    const { dataDir, entry, nodeFlags } = this.#options;
    return this.#starter.start({
      command: process.execPath,
      args: [heapLimitFlag(), ...(nodeFlags ?? []), '--disable-warning=ExperimentalWarning', entry ?? JOB_ENTRY],
      env: {
        [ENV.dataDir]: dataDir,
        [ENV.jobId]: jobId,
        [ENV.jobAttempt]: String(attempt),
        ...compileCacheEnvironment(),
        ...passedOn(),
      },
      parentPid: ENV.parentPid,
    });
  }

  async #watch(running: Running): Promise<void> {
    const { child } = running;
    passOn(child.output, this.#options.log);
    try {
      await child.spawned;
    } catch {
      return;
    }
    const timer = setTimeout(() => kill(running, 'timeout'), this.#options.timeoutSeconds * 1000);
    const ending = await child.closed;
    clearTimeout(timer);
    const killedFor = running.killedFor;
    await this.#settle(running, { ...ending, ...(killedFor && { killedFor }) });
  }

  /** Returns false if restarted before, over, or not writable. */
  async #restart({ jobId, attempt }: Attempt): Promise<boolean> {
    const { jobs, log } = this.#options;
    try {
      const isRestarted = await jobs.restart(jobId, attempt, this.#closing ? 'left' : 'here');
      if (isRestarted) log.info('job_restarted', { job_id: jobId, attempt: attempt + 1 });
      return isRestarted;
    } catch (error) {
      log.error('job_not_restarted', { job_id: jobId, attempt, ...describeFault(error) });
      return false;
    }
  }

  async resume(jobId: string, attempt: number): Promise<void> {
    const { jobs, clock, log } = this.#options;
    try {
      await this.submit(jobId, attempt);
    } catch (error) {
      log.error('job_not_submitted', { job_id: jobId, attempt, ...describeFault(error) });
      await jobs.fail(jobId, attempt, INTERRUPTED, clock.now().toISOString());
      await jobs.freeSlot(slotOf(jobId, attempt));
    }
  }

  /** Records an end that the process did not; retries while the disk is full. */
  async #settle({ jobId, attempt }: Running, ending: ProcessEnding): Promise<void> {
    if (wasKilled(ending) && (await this.#restart({ jobId, attempt }))) {
      if (!this.#closing) await this.resume(jobId, attempt + 1);
      return;
    }
    const { jobs, clock, log, timeoutSeconds } = this.#options;
    const { exitCode, signal, errorTail, killedFor } = ending;
    const failure = endingFailure(ending, timeoutSeconds);
    for (;;) {
      try {
        const failed = exitCode !== EXIT.over && (await jobs.fail(jobId, attempt, failure, clock.now().toISOString()));
        await jobs.freeSlot(slotOf(jobId, attempt));
        if (!this.#closing) this.#options.onFree?.();
        const fields = { job_id: jobId, attempt, exit_code: exitCode, signal };
        if (!failed) return log.info('job_process_ended', fields);
        return log.error('job_failed', {
          ...fields,
          code: failure.code,
          killed_for: killedFor ?? null,
          stderr: errorTail,
        });
      } catch (error) {
        log.error('job_end_not_recorded', { job_id: jobId, attempt, ...describeFault(error) });
        if (this.#closing) return;
        await sleep(SETTLE_AGAIN_MS, undefined, { ref: false });
      }
    }
  }
}

/** Excludes crashes, which would repeat. */
const wasKilled = ({ signal, killedFor }: ProcessEnding): boolean => signal === 'SIGKILL' && killedFor === undefined;

/** 1000 is the first to be killed. */
const OOM_SCORE_ADJUSTMENT = 500;

/** Makes Linux kill jobs before the server. */
function makeFirstVictim(pid: number | undefined): void {
  if (pid === undefined || process.platform !== 'linux') return;
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, String(OOM_SCORE_ADJUSTMENT));
  } catch {
    // The process has ended, or the system refuses.
  }
}

function kill(running: Running, reason: NonNullable<ProcessEnding['killedFor']>): void {
  running.killedFor ??= reason;
  running.child.kill('SIGKILL');
}

const noProcess = (why: string, cause?: unknown): ServiceError =>
  new ServiceError({ reason: 'process_not_started', why, seconds: RETRY_AFTER_SECONDS }, { cause });
