import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../packages/contract/errors.ts';
import type { JobFailure } from '../../packages/contract/problems.ts';
import type { JobState } from '../../packages/contract/states.ts';
import { ENV } from '../../service/job/environment.ts';
import { describeFault, EXIT, type ExitCode, endingFailure } from '../../service/job/failures.ts';
import { type Attempt, slotOf } from '../../service/job/job.ts';
import type { Clock, Gpu, JobStore, Log } from '../../service/ports.ts';
import { passOn, TextTail } from '../shared/childLog.ts';
import { heapLimitFlag } from '../shared/heapLimit.ts';
import { isEarlierRun, type Runner, readStoreSettings, runnerName } from './awsSettings.ts';
import { reportGpu } from './batchGpu.ts';
import type { DynamoJobStore } from './dynamoJobStore.ts';
import { jobItemKey } from './jobItem.ts';
import { openAwsStores } from './openAws.ts';
import { ACTIVE, type Item, number, OWN, type RecordTable, RUNNING, text, texts, valuesIn } from './recordTable.ts';

interface BatchRun {
  attempt: Attempt;
  runner: Runner;
  entry: string;
  environment: Readonly<Record<string, string | undefined>>;
  timeoutSeconds: number;
  stopping: AbortSignal;
  gpu: Promise<Gpu>;
  log: Log;
  times?: LeaseTimes;
}

export async function runOnBatch(run: BatchRun): Promise<ExitCode> {
  const { attempt, runner, environment, log, times = LEASE_TIMES } = run;
  const { table, jobs, clock } = openAwsStores(readStoreSettings(environment), runnerName(runner));
  run.gpu
    .then(({ name }) => (name === null ? undefined : reportGpu(table, name, clock.now().toISOString())))
    .catch(() => log.error('gpu_not_reported'));
  return superviseAttempt({
    attempt,
    jobs,
    clock,
    log,
    times,
    lease: new AttemptLease({ table, jobs, runner, attempt, times }),
    stopping: run.stopping,
    isFirstRun: runner.run === 1,
    timeoutSeconds: run.timeoutSeconds,
    spawn: () =>
      spawn(process.execPath, [heapLimitFlag(), ...process.execArgv, run.entry], {
        env: { ...environment, [ENV.parentPid]: String(process.pid) },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
  });
}

// Supervises an attempt in a child process, so that a busy computation delays neither lease nor SIGTERM:
//
//   child killed by the system   first time: hands the record back, and Batch retries
//   child ends                   records the end if the child did not
//   SIGTERM (machine reclaimed)  kills the child and hands back
//   lease lost                   kills the child; the next process waits until it is quiet
//   attempt over                 kills the child after one more beat, since it may be ending itself
//   time limit                   kills the child; the job fails

export interface Supervision {
  attempt: Attempt;
  lease: Pick<AttemptLease, 'claim' | 'beat' | 'handBack'>;
  jobs: Pick<JobStore, 'fail' | 'freeSlot'>;
  spawn(): ChildProcess;
  stopping: AbortSignal;
  times: LeaseTimes;
  /** First run of this submission. */
  isFirstRun: boolean;
  timeoutSeconds: number;
  clock: Clock;
  log: Log;
}

type Reason = 'reclaimed' | 'lost' | 'over' | 'timeout';

interface Ending {
  reason: Reason | undefined;
  exitCode: number | null;
  signal: string | null;
  errorTail: string;
}

export async function superviseAttempt(supervision: Supervision): Promise<ExitCode> {
  const { lease, stopping, log, attempt } = supervision;
  try {
    if (!(await lease.claim(stopping))) return EXIT.over;
    return await conclude(supervision, await watch(supervision));
  } catch (error) {
    if (stopping.aborted) return EXIT.handedBack;
    log.error('supervision_failed', { job_id: attempt.jobId, attempt: attempt.attempt, ...describeFault(error) });
    return error instanceof ServiceError && error.code === 'storage_unavailable'
      ? EXIT.storageUnavailable
      : EXIT.unrecorded;
  }
}

async function watch(supervision: Supervision): Promise<Ending> {
  const { stopping, timeoutSeconds, log, times } = supervision;
  const child = supervision.spawn();
  const ended = once(child, 'close');
  const errors = new TextTail(child.stderr);
  passOn(child.stdout, log);
  let reason: Reason | undefined;
  const kill = (why: Reason) => {
    reason ??= why;
    child.kill('SIGKILL');
  };
  const reclaim = () => kill('reclaimed');
  stopping.addEventListener('abort', reclaim, { once: true });
  if (stopping.aborted) reclaim();
  const timers = [setTimeout(() => kill('timeout'), timeoutSeconds * 1000), keepLease(supervision, kill)];
  try {
    await ended;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    stopping.removeEventListener('abort', reclaim);
  }
  log.info('job_process_ended', { code: child.exitCode, signal: child.signalCode, reason: reason ?? null, ...times });
  return { reason, exitCode: child.exitCode, signal: child.signalCode, errorTail: errors.text() };
}

/** The lease counts from when a beat was sent. */
function keepLease({ lease, times, log }: Supervision, kill: (why: Reason) => void): NodeJS.Timeout {
  let heldSince = performance.now();
  let beating = false;
  let isOver = false;
  const beat = async () => {
    if (isOver) return kill('over');
    const sentAt = performance.now();
    if (sentAt - heldSince > times.lostMs) return kill('lost');
    if (beating) return;
    beating = true;
    try {
      if (await lease.beat()) heldSince = sentAt;
      else isOver = true;
    } catch (error) {
      log.error('lease_not_kept', describeFault(error));
    } finally {
      beating = false;
    }
  };
  return setInterval(() => void beat(), times.beatMs);
}

async function conclude(supervision: Supervision, ending: Ending): Promise<ExitCode> {
  const { lease, jobs, attempt, timeoutSeconds, isFirstRun } = supervision;
  const { reason, exitCode, signal } = ending;
  if (reason === 'lost') return EXIT.handedBack;
  // Retries once, as on one machine.
  if (reason === undefined && signal === 'SIGKILL' && isFirstRun && (await lease.handBack())) return EXIT.handedBack;
  if (reason === 'reclaimed' && (await lease.handBack())) return EXIT.handedBack;
  if (reason === 'reclaimed' || reason === 'over') {
    // The child may have been killed before freeing its slot.
    await jobs.freeSlot(slotOf(attempt.jobId, attempt.attempt));
    return EXIT.over;
  }
  if (reason === undefined) {
    const said = [EXIT.done, EXIT.failed, EXIT.over].find((code) => code === exitCode);
    if (said !== undefined) return said;
  }
  const how = { ...ending, ...(reason === 'timeout' && { killedFor: reason }) };
  return recordEnd(supervision, endingFailure(how, timeoutSeconds));
}

async function recordEnd({ attempt, jobs, clock, log }: Supervision, failure: JobFailure): Promise<ExitCode> {
  const failed = await jobs.fail(attempt.jobId, attempt.attempt, failure, clock.now().toISOString());
  if (failed) log.error('job_failed', { job_id: attempt.jobId, attempt: attempt.attempt, code: failure.code });
  await jobs.freeSlot(slotOf(attempt.jobId, attempt.attempt));
  return failed ? EXIT.failed : EXIT.over;
}

// One process at a time holds an attempt's record and beats every `beatMs`:
//
//   run 1   claim ─ beat ─ beat ─ beat ─ SIGTERM: handBack ▶ started
//   run 2                                                     claim (started ▶ running) ─ beat …
//
//   run 1   claim ─ beat ─ beat ─ (killed or cut off; exits after `lostMs` without a beat)
//   run 2                            claim: sees the same beat for `quietMs` ▶ takes over if it still is
//
// `quietMs` exceeds `lostMs`, and each process measures by its own clock, so two never run at once. A process of another
// Batch job never takes over.

export interface LeaseTimes {
  beatMs: number;
  lostMs: number;
  quietMs: number;
}

export const LEASE_TIMES: LeaseTimes = { beatMs: 10_000, lostMs: 40_000, quietMs: 60_000 };

interface AttemptLeaseParts {
  table: RecordTable;
  jobs: Pick<DynamoJobStore, 'run'>;
  runner: Runner;
  attempt: Attempt;
  times: LeaseTimes;
}

export class AttemptLease {
  readonly #parts: AttemptLeaseParts;

  constructor(parts: AttemptLeaseParts) {
    this.#parts = parts;
  }

  /** started → running, or takes over from a dead earlier run. Returns false if the attempt must not run here. */
  async claim(signal: AbortSignal): Promise<boolean> {
    const { table, jobs, runner, attempt, times } = this.#parts;
    for (;;) {
      if (await jobs.run(attempt.jobId, attempt.attempt)) return true;
      const seen = await table.get(jobItemKey(attempt.jobId));
      if (isAt(seen, attempt, 'started')) continue;
      if (!isAt(seen, attempt, 'running') || !isEarlierRun(seen?.runner?.S ?? '', runner)) return false;
      await sleep(times.quietMs, undefined, { signal });
      if (seen && (await this.#takeOver(seen))) return true;
    }
  }

  /** Returns false if the attempt is over or run by another process. */
  async beat(): Promise<boolean> {
    return this.#write(`SET #beat = #beat + :one`, `${ACTIVE} AND ${OWN}`, { ':one': number(1) });
  }

  /** running → started, with empty progress. */
  async handBack(): Promise<boolean> {
    const update = 'SET #state = :started, #progress = :none REMOVE #runner, #beat';
    if (await this.#write(update, `${RUNNING} AND ${OWN}`, { ':none': texts([]) })) return true;
    const { table, attempt } = this.#parts;
    return isAt(await table.get(jobItemKey(attempt.jobId)), attempt, 'started');
  }

  /** Condition: no beat since `seen`. */
  async #takeOver(seen: Item): Promise<boolean> {
    const update = 'SET #runner = :runner, #beat = :zero, #progress = :none';
    const condition = `${RUNNING} AND #runner = :former AND #beat = :seen`;
    const former = { ':former': seen.runner ?? text(''), ':seen': seen.beat ?? number(0) };
    return this.#write(update, condition, { ...former, ':zero': number(0), ':none': texts([]) });
  }

  async #write(update: string, condition: string, values: Item): Promise<boolean> {
    const { table, runner, attempt } = this.#parts;
    const uses = (name: string) => `${update} ${condition}`.includes(name);
    const { held } = await table.update(jobItemKey(attempt.jobId), {
      update,
      condition,
      values: {
        ':attempt': number(attempt.attempt),
        ...(uses(':runner') && { ':runner': text(runnerName(runner)) }),
        ...valuesIn(update, condition),
        ...values,
      },
    });
    return held;
  }
}

const isAt = (item: Item | undefined, { attempt }: Attempt, state: JobState): boolean =>
  item?.attempt?.N === String(attempt) && item.state?.S === state;
