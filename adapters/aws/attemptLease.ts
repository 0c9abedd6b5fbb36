/**
 * An attempt's record is held by one process at a time, which says every `beatMs` that it is there. Batch runs a job
 * again where its machine was taken away; the new process takes the record over when the former is certainly gone:
 *
 *   run 1   claim ─ beat ─ beat ─ beat ─ SIGTERM: handBack ▶ started
 *   run 2                                                     claim (started ▶ running) ─ beat …
 *
 *   run 1   claim ─ beat ─ beat ─ (killed, or cut off: without a beat for `lostMs` it ends itself)
 *   run 2                            claim: the same beat for `quietMs` ▶ takes over, under the condition that it still is
 *
 * Since `quietMs` is longer than `lostMs` and both are measured by the clock of whoever waits, no two run at once. A
 * process of another Batch job (a submission that was repeated) never takes over: it finds the attempt run, and stops.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attempt, JobState } from '../../domain/job/job.ts';
import { number, text, texts } from './attributes.ts';
import { ACTIVE, OWN, RUNNING, valuesIn } from './conditions.ts';
import type { DynamoJobStore } from './dynamoJobStore.ts';
import { jobItemKey } from './jobItem.ts';
import type { Item, RecordTable } from './recordTable.ts';
import { isEarlierRun, type Runner, runnerName } from './runner.ts';

export interface LeaseTimes {
  beatMs: number;
  lostMs: number;
  quietMs: number;
}

export const LEASE_TIMES: LeaseTimes = { beatMs: 10_000, lostMs: 40_000, quietMs: 60_000 };

export interface AttemptLeaseParts {
  table: RecordTable;
  /** Of this runner. */
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

  /** started → running, or the run of an earlier process taken over, once it is gone. False where it is not to be run here. */
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

  /** False where the attempt is over, or run by another process. */
  async beat(): Promise<boolean> {
    return this.#write(`SET #beat = #beat + :one`, `${ACTIVE} AND ${OWN}`, { ':one': number(1) });
  }

  /** running → started, for another process; what was reported is emptied, since it begins anew. False where it is over. */
  async handBack(): Promise<boolean> {
    const update = 'SET #state = :started, #progress = :none REMOVE #runner, #beat';
    if (await this.#write(update, `${RUNNING} AND ${OWN}`, { ':none': texts([]) })) return true;
    const { table, attempt } = this.#parts;
    return isAt(await table.get(jobItemKey(attempt.jobId)), attempt, 'started');
  }

  /** Condition: nothing was heard of the earlier process since it was seen. */
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
