/** Chains in worker threads: each thread takes the next chain as soon as it is free. */
import type { Worker } from 'node:worker_threads';
import type { ChainResult } from '../../../numerics/mcmc/chain.ts';
import { NoStartError } from '../../../numerics/mcmc/findStart.ts';
import { endIdle, replyOf, startThread } from '../shared/threads.ts';
import type { ChainOrder, ChainProgram, ChainReply } from './chainProgram.ts';
import type { SamplingCounts } from './samplingCounts.ts';

/** A stop is seen, and a line said, this often. */
const LOOK_MS = 100;
const WORK = 'sampled the regression';

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
    for (let i = 0; i < Math.min(run.workers, chains); i++) workers.push(startThread(program.entry, order));
    const results = new Array<ChainResult>(chains);
    let next = 0;
    const take = (): number | undefined => (next < chains ? next++ : undefined);
    const work = Promise.all(workers.map((worker) => runThread(worker, take, results)));
    await watched(work, run.breathe, counts);
    await endIdle(workers);
    return results;
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

async function runThread(worker: Worker, take: () => number | undefined, results: ChainResult[]): Promise<void> {
  for (let chain = take(); chain !== undefined; chain = take()) {
    worker.postMessage(chain);
    const reply = await replyOf<ChainReply>(worker, WORK);
    if (reply.kind === 'no_start') throw new NoStartError(reply.tries);
    results[reply.chain] = reply.result;
  }
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
