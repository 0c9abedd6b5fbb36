/**
 * AWS Batch's part in a job's life, on this machine: takes submissions, starts each job's process when there is room,
 * repeats it by the retry rules, ends it at its time limit or on request, and says every change of state on the bus.
 */
import { randomUUID } from 'node:crypto';
import { type BatchJob, type BatchStatus, detailOf, hasEnded, summaryOf } from './batchJob.ts';
import type { DeployedBatch } from './deployedBatch.ts';
import type { EventSender } from './events.ts';
import { type Faults, noFaults } from './faults.ts';
import { definitionNamed, describeEnvironments, queueArn } from './lookUp.ts';
import { newJob } from './newJob.ts';
import { isRunAgain, type RunEnd } from './retryRules.ts';
import { type Container, runContainer } from './runContainer.ts';
import { BatchError, type ListJobs, type SubmitJob } from './wire.ts';

const PAGE = 100;

export interface StandInOptions {
  events: Pick<EventSender, 'send' | 'settled'>;
  /** What a container's role and network give to its process, beside the environment that was submitted. */
  roleEnvironment: Record<string, string>;
  /** Processes at once, as machines would be. */
  machines: number;
  /** Between RUNNABLE and STARTING, as the start of a machine would take. */
  startMs: number;
  /** Between SIGTERM and SIGKILL. */
  stopGraceMs: number;
  /** Another entry of the container than the real one. */
  entry?: string;
}

export class BatchStandIn {
  faults: Faults = noFaults();
  /** What every process printed at last, by Batch job. */
  readonly output = new Map<string, string>();
  readonly #options: StandInOptions;
  readonly #jobs = new Map<string, BatchJob>();
  readonly #containers = new Map<string, Container>();
  #deployed: DeployedBatch = { queues: [], definitions: [], computeEnvironments: [] };

  constructor(options: StandInOptions) {
    this.#options = options;
  }

  deploy(deployed: DeployedBatch): void {
    this.#deployed = deployed;
  }

  submit(request: SubmitJob): BatchJob | undefined {
    const queue = queueArn(this.#deployed, request.jobQueue);
    const job = newJob(request, queue, definitionNamed(this.#deployed, request.jobDefinition, queue));
    if (this.#takes('lose')) return job;
    this.#jobs.set(job.jobId, job);
    this.#wait(job);
    return job;
  }

  /** Whether a counted fault is due now; counts it down. */
  takes(fault: 'refuse' | 'throttle' | 'silent'): boolean {
    return this.#takes(fault);
  }

  describe(ids: readonly string[]) {
    return ids.flatMap((id) => {
      const job = this.#jobs.get(id) ?? [...this.#jobs.values()].find(({ jobArn }) => jobArn === id);
      return job ? [detailOf(job)] : [];
    });
  }

  /** By status (RUNNING where none is given), or by name, in which case the status does not matter. */
  list({ jobQueue, jobStatus = 'RUNNING', filters, maxResults, nextToken }: ListJobs) {
    const queue = queueArn(this.#deployed, jobQueue);
    const names = filters.filter(({ name }) => name === 'JOB_NAME').flatMap(({ values }) => values);
    const found = [...this.#jobs.values()].filter(
      (job) =>
        job.jobQueue === queue &&
        (names.length > 0 ? names.some((name) => isNamed(job, name)) : job.status === jobStatus),
    );
    const from = Number(nextToken ?? 0);
    const to = from + Math.min(maxResults, PAGE);
    return {
      jobSummaryList: found.slice(from, to).map(summaryOf),
      ...(to < found.length && { nextToken: String(to) }),
    };
  }

  terminate(id: string, reason: string): void {
    const job = this.#jobs.get(id);
    if (!job || hasEnded(job)) return;
    job.retryStrategy = { attempts: 1, evaluateOnExit: [] };
    const container = this.#containers.get(id);
    if (!container) {
      this.#end(job, 'FAILED', reason);
      return;
    }
    job.statusReason = reason;
    container.stop(this.#options.stopGraceMs);
  }

  computeEnvironments(names: readonly string[]) {
    return describeEnvironments(this.#deployed, names);
  }

  /** The machine under a running job is taken away, as Spot does: SIGTERM, a short while, SIGKILL. */
  reclaim(id: string): void {
    const [job, container] = [this.#jobs.get(id), this.#containers.get(id)];
    if (!job || !container) throw new BatchError('ClientException', `Job ${id} is not running.`);
    job.statusReason = 'Host EC2 (instance i-0123456789abcdef0) terminated.';
    container.stop(this.#options.stopGraceMs);
  }

  /** A running job's process is killed without a warning. */
  kill(id: string): void {
    this.#containers.get(id)?.kill();
  }

  /** All jobs, oldest first. */
  jobs() {
    return [...this.#jobs.values()].map(detailOf);
  }

  /** Starts what waits and may start. */
  wake(): void {
    if (this.faults.hold) return;
    for (const job of this.#jobs.values()) if (job.status === 'RUNNABLE') this.#start(job);
  }

  /** Ends every process and forgets every job and fault. */
  async reset(): Promise<void> {
    this.#jobs.clear();
    const running = [...this.#containers.values()];
    for (const container of running) container.kill();
    await Promise.all(running.map(({ ended }) => ended));
    this.faults = noFaults();
  }

  #wait(job: BatchJob): void {
    this.#change(job, 'RUNNABLE');
    setTimeout(() => this.wake(), this.#options.startMs);
  }

  #start(job: BatchJob): void {
    if (this.#containers.size >= this.#options.machines) return;
    this.#change(job, 'STARTING');
    delete job.statusReason;
    if (this.faults.run === 'vanish') {
      this.#end(job, 'FAILED', 'Task failed to start');
      return;
    }
    job.startedAt = Date.now();
    const container = runContainer(this.#environmentOf(job), this.#options.entry);
    this.#containers.set(job.jobId, container);
    this.#change(job, 'RUNNING');
    const timer = this.#limit(job, container);
    void container.ended.then(({ exitCode, output }) => {
      clearTimeout(timer);
      this.#containers.delete(job.jobId);
      this.output.set(job.jobId, output);
      if (this.#jobs.has(job.jobId)) this.#conclude(job, exitCode);
      this.wake();
    });
  }

  #limit(job: BatchJob, container: Container): NodeJS.Timeout | undefined {
    if (job.timeoutSeconds === undefined) return undefined;
    return setTimeout(() => {
      job.statusReason = 'Job attempt duration exceeded timeout';
      job.retryStrategy = { attempts: 1, evaluateOnExit: [] };
      container.stop(this.#options.stopGraceMs);
    }, job.timeoutSeconds * 1000);
  }

  #conclude(job: BatchJob, exitCode: number | undefined): void {
    const statusReason = job.statusReason ?? 'Essential container in task exited';
    const reason = exitCode === 137 ? 'OutOfMemoryError: Container killed due to memory usage' : '';
    const run: RunEnd = { exitCode, reason: '', statusReason };
    job.attempts.push({
      container: {
        ...(exitCode !== undefined && { exitCode }),
        ...(reason !== '' && statusReason.startsWith('Essential') && { reason }),
        taskArn: `arn:aws:ecs:us-east-1:000000000000:task/${randomUUID()}`,
        logStreamName: `job/default/${job.jobId}`,
      },
      startedAt: job.startedAt ?? Date.now(),
      stoppedAt: Date.now(),
      statusReason,
    });
    if (exitCode === 0) this.#end(job, 'SUCCEEDED', statusReason);
    else if (isRunAgain(job.retryStrategy, job.attempts.length, run)) this.#wait(job);
    else this.#end(job, 'FAILED', statusReason);
  }

  #end(job: BatchJob, status: 'SUCCEEDED' | 'FAILED', reason: string): void {
    job.stoppedAt = Date.now();
    job.statusReason = reason;
    this.#change(job, status);
  }

  #change(job: BatchJob, status: BatchStatus): void {
    job.status = status;
    this.#options.events.send(job, this.faults);
  }

  /** Exactly what was submitted, on top of the definition's; what Batch itself sets; what role and network give. */
  #environmentOf(job: BatchJob): Record<string, string> {
    return {
      ...this.#options.roleEnvironment,
      ...Object.fromEntries(job.environment.map(({ name, value }) => [name, value])),
      AWS_BATCH_JOB_ID: job.jobId,
      AWS_BATCH_JOB_ATTEMPT: String(job.attempts.length + 1),
      AWS_BATCH_JQ_NAME: job.jobQueue.split('/').at(-1) ?? '',
    };
  }

  #takes(fault: 'refuse' | 'throttle' | 'silent' | 'lose'): boolean {
    if (this.faults[fault] === 0) return false;
    this.faults[fault] -= 1;
    return true;
  }
}

/** A name filter takes a `*` at its end and does not look at case. */
function isNamed({ jobName }: BatchJob, filter: string): boolean {
  const [name, wanted] = [jobName.toLowerCase(), filter.toLowerCase()];
  return wanted.endsWith('*') ? name.startsWith(wanted.slice(0, -1)) : name === wanted;
}
