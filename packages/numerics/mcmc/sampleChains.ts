import { availableParallelism } from 'node:os';
import { parentPort, type Worker, workerData } from 'node:worker_threads';
import { createStream } from '../random/createStream.ts';
import type { RandomStream } from '../random/stream.ts';
import { endIdle, replyOf, shareArrays, startThread, watched } from '../workers.ts';
import { Chain, type ChainOptions, type ChainResult, iterationsOf, NoStartError } from './chain.ts';
import type { LogDensity } from './hamiltonian.ts';

export interface SamplingCounts {
  /** Includes warm-up and thinning. */
  done: number;
  total: number;
  divergences: number;
}

export interface SamplingTask<Data> {
  program: ChainProgram<Data>;
  data: Data;
  /** Per chain. */
  options: ChainOptions;
  chains: number;
  /** Approximate. */
  gradientFlops: number;
  random: RandomStream;
  /** Called up to ten times; throws to stop. */
  onProgress(counts: SamplingCounts): void | Promise<void>;
  /** Called about every 100 ms; throws to stop. */
  yieldToEventLoop(): Promise<void>;
  /** 0 uses this thread. Defaults to the number of cores or chains. */
  workers?: number | undefined;
}

/** Whitened draws use 1 gradient, others 3 to 7. */
const GRADIENTS_AN_ITERATION = 2;
const OVERHEAD_FLOPS = 500;

/** Threads need 0.14 s per core to start, so two pay off from 0.28 s of work (5e9 flops per second). */
const WORTH_A_WORKER = 1.5e9;

/** Some tens of milliseconds. */
const FLOPS_A_YIELD = 3e7;

/**
 * Returns one result per chain, identical for any `workers`. Throws NoStartError, WorkerDiedError, and what the hooks
 * throw.
 */
export async function sampleChains<Data>(task: SamplingTask<Data>): Promise<ChainResult[]> {
  const { chains, options } = task;
  const order: ChainOrder<Data> = {
    data: task.data,
    options,
    // Threads receive a seed instead of a stream.
    seed: Math.floor(task.random.child('chains').uniform() * Number.MAX_SAFE_INTEGER),
    counters: new Int32Array(new SharedArrayBuffer(2 * chains * Int32Array.BYTES_PER_ELEMENT)),
  };
  const progress = createProgress(order.counters, chains * iterationsOf(options), task.onProgress);
  const workers = task.workers ?? workersFor(task);
  const results =
    workers === 0
      ? await runHere(task, order, progress)
      : await runInWorkers({ ...task, workers, progress, order: shareArrays(order) });
  await progress.tell();
  return results;
}

const flopsOf = <Data>({ gradientFlops }: SamplingTask<Data>): number =>
  GRADIENTS_AN_ITERATION * (gradientFlops + OVERHEAD_FLOPS);

function workersFor<Data>(task: SamplingTask<Data>): number {
  const iterations = task.chains * iterationsOf(task.options);
  if (iterations * flopsOf(task) < WORTH_A_WORKER) return 0;
  return Math.min(task.chains, availableParallelism());
}

async function runHere<Data>(
  task: SamplingTask<Data>,
  { data, options, seed, counters }: ChainOrder<Data>,
  progress: Progress,
): Promise<ChainResult[]> {
  const density = task.program.build(data);
  const between = Math.max(1, Math.floor(FLOPS_A_YIELD / flopsOf(task)));
  const results: ChainResult[] = [];
  for (let number = 0; number < task.chains; number++) {
    const chain = new Chain(density, options, createStream(seed, chainStream(number)));
    while (!chain.finished) {
      for (let i = 0; i < between; i++) chain.advance();
      counters[2 * number] = chain.iteration;
      counters[2 * number + 1] = chain.divergences;
      await task.yieldToEventLoop();
      await progress.tell();
    }
    results.push(chain.result());
  }
  return results;
}

interface WorkerRun<Data> {
  program: ChainProgram<Data>;
  order: ChainOrder<Data>;
  chains: number;
  workers: number;
  progress: Progress;
  yieldToEventLoop(): Promise<void>;
}

async function runInWorkers<Data>(run: WorkerRun<Data>): Promise<ChainResult[]> {
  const { program, order, chains, progress } = run;
  const workers: Worker[] = [];
  try {
    for (let i = 0; i < Math.min(run.workers, chains); i++) workers.push(startThread(program.entry, order));
    const results = new Array<ChainResult>(chains);
    let next = 0;
    const take = (): number | undefined => (next < chains ? next++ : undefined);
    const work = Promise.all(workers.map((worker) => runThread(worker, take, results)));
    await watched(work, async () => {
      await run.yieldToEventLoop();
      await progress.tell();
    });
    await endIdle(workers);
    return results;
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

async function runThread(worker: Worker, take: () => number | undefined, results: ChainResult[]): Promise<void> {
  for (let chain = take(); chain !== undefined; chain = take()) {
    worker.postMessage(chain);
    const reply = await replyOf<ChainReply>(worker);
    if (reply.kind === 'no_start') throw new NoStartError(reply.tries);
    results[reply.chain] = reply.result;
  }
}

const TIMES = 10;

interface Progress {
  tell(): Promise<void>;
}

/** Iterations and divergent draws by chain. */
function createProgress(
  counters: Int32Array,
  total: number,
  onProgress: (counts: SamplingCounts) => void | Promise<void>,
): Progress {
  let said = 0;
  const sum = (offset: 0 | 1): number => {
    let all = 0;
    for (let i = offset; i < counters.length; i += 2) all += Atomics.load(counters, i);
    return all;
  };
  return {
    async tell() {
      const done = sum(0);
      const tenth = Math.floor((TIMES * done) / total);
      if (tenth <= said) return;
      said = tenth;
      await onProgress({ done, total, divergences: sum(1) });
    },
  };
}

export interface ChainProgram<Data> {
  /** Must give the same density on every thread. */
  build(data: Data): LogDensity;
  entry: URL;
}

/** Typed arrays are on shared memory. */
interface ChainOrder<Data> {
  data: Data;
  options: ChainOptions;
  seed: number;
  counters: Int32Array;
}

type ChainTurn = number;

type ChainReply =
  | { kind: 'done'; chain: number; result: ChainResult }
  | { kind: 'no_start'; chain: number; tries: number };

const chainStream = (chain: number): string => `chain ${chain}`;

/** Unvalidated, since loading a library would slow the start. */
export function serveChains<Data>(build: (data: Data) => LogDensity): void {
  const order: ChainOrder<Data> = workerData;
  const density = build(order.data);
  parentPort!.on('message', (chain: ChainTurn | null) => {
    if (chain === null) return parentPort!.close();
    const reply = chainReply(density, order, chain);
    const moved = reply.kind === 'done' ? [reply.result.draws.buffer] : [];
    parentPort!.postMessage(
      reply,
      moved.filter((buffer) => buffer instanceof ArrayBuffer),
    );
  });
}

function chainReply<Data>(density: LogDensity, order: ChainOrder<Data>, number: number): ChainReply {
  try {
    const chain = new Chain(density, order.options, createStream(order.seed, chainStream(number)));
    while (!chain.finished) {
      chain.advance();
      Atomics.store(order.counters, 2 * number, chain.iteration);
      Atomics.store(order.counters, 2 * number + 1, chain.divergences);
    }
    return { kind: 'done', chain: number, result: chain.result() };
  } catch (error) {
    if (error instanceof NoStartError) return { kind: 'no_start', chain: number, tries: error.tries };
    throw error;
  }
}
