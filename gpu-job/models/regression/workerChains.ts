/** Chains in worker threads: each thread takes the next chain as soon as it is free. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { JobError } from '../../../domain/errors.ts';
import { OUT_OF_MEMORY } from '../../../domain/job/failures.ts';
import type { ChainResult } from '../../../numerics/mcmc/chain.ts';
import { NoStartError } from '../../../numerics/mcmc/findStart.ts';
import type { ChainOrder, ChainProgram, ChainReply } from './chainProgram.ts';
import type { SamplingCounts } from './samplingCounts.ts';

/** A stop is seen, and a line said, this often. */
const LOOK_MS = 100;
/** A thread that has been told to end is waited for so long. */
const END_MS = 2000;

interface WorkerRun<Data> {
  program: ChainProgram<Data>;
  order: ChainOrder<Data>;
  chains: number;
  workers: number;
  counts: SamplingCounts;
  breathe(): Promise<void>;
}

/** One result a chain. Whatever ends it, no thread is left. */
export async function runInWorkers<Data>(run: WorkerRun<Data>): Promise<ChainResult[]> {
  const { program, order, chains, counts } = run;
  const workers: Worker[] = [];
  try {
    for (let i = 0; i < Math.min(run.workers, chains); i++) workers.push(startWorker(program.entry, order));
    const results = new Array<ChainResult>(chains);
    let next = 0;
    const take = (): number | undefined => (next < chains ? next++ : undefined);
    const work = Promise.all(workers.map((worker) => runThread(worker, take, results)));
    await watched(work, run.breathe, counts);
    await Promise.all(workers.map(endIdle));
    return results;
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

function startWorker<Data>(entry: URL, order: ChainOrder<Data>): Worker {
  const options = { workerData: order, env: {}, execArgv: ['--disable-warning=ExperimentalWarning'] };
  const worker = new Worker(entry, options);
  // Whoever waits for its reply hears of an error too; between replies one must not end the process.
  worker.on('error', () => undefined);
  return worker;
}

/** A thread that has nothing to do ends by itself, which is safer than to be ended from outside. */
async function endIdle(worker: Worker): Promise<void> {
  const ended = once(worker, 'exit', { signal: AbortSignal.timeout(END_MS) });
  worker.postMessage(null);
  await ended.catch(() => undefined);
}

async function runThread(worker: Worker, take: () => number | undefined, results: ChainResult[]): Promise<void> {
  for (let chain = take(); chain !== undefined; chain = take()) {
    worker.postMessage(chain);
    const reply = await replyOf(worker);
    if (reply.kind === 'no_start') throw new NoStartError(reply.tries);
    results[reply.chain] = reply.result;
  }
}

async function replyOf(worker: Worker): Promise<ChainReply> {
  const over = new AbortController();
  try {
    const ended = once(worker, 'exit', { signal: over.signal }).then(() => {
      throw new Error('it ended by itself');
    });
    const [reply] = await Promise.race([once(worker, 'message', { signal: over.signal }), ended]);
    return reply;
  } catch (error) {
    throw failureOf(error);
  } finally {
    over.abort();
  }
}

function failureOf(error: unknown): JobError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return new JobError(OUT_OF_MEMORY.code, OUT_OF_MEMORY.message);
  return new JobError(
    'crashed',
    'A thread that sampled the regression died. Send POST /generate again; if it ends so again, tell the operator the job_id.',
    { cause: error },
  );
}

/** Waits for `work`, and looks meanwhile whether the job is to stop. */
async function watched(work: Promise<unknown>, breathe: () => Promise<void>, counts: SamplingCounts): Promise<void> {
  let working = true;
  const done = work.finally(() => {
    working = false;
  });
  // Where a breath throws first, nobody waits for the work any more.
  done.catch(() => undefined);
  while (working) {
    const { promise: looked, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, LOOK_MS);
    await Promise.race([done, looked]).finally(() => clearTimeout(timer));
    await breathe();
    await counts.report();
  }
  await done;
}
