/** Runs the chains of one posterior, in worker threads where that is faster. The draws are the same wherever they run. */
import { availableParallelism } from 'node:os';
import { parentPort, type Worker, workerData } from 'node:worker_threads';
import { createStream } from '../random/createStream.ts';
import type { RandomStream } from '../random/stream.ts';
import { endIdle, replyOf, shareArrays, startThread, watched } from '../workers.ts';
import { Chain, type ChainOptions, type ChainResult, iterationsOf, NoStartError } from './chain.ts';
import type { LogDensity } from './hamiltonian.ts';

/** Counts of all chains together. */
export interface SamplingCounts {
  /** Iterations, warm-up and those between draws included. */
  done: number;
  total: number;
  /** Draws on whose way a trajectory diverged. */
  divergences: number;
}

export interface SamplingTask<Data> {
  program: ChainProgram<Data>;
  data: Data;
  /** `draws`, `tune` and `thin` are per chain. */
  options: ChainOptions;
  /** 4 is the custom. */
  chains: number;
  /** Multiplications and additions of one gradient, about: what decides whether worker threads pay. */
  gradientFlops: number;
  random: RandomStream;
  /** Ten times at most; throws where the work is to stop. */
  onProgress(counts: SamplingCounts): void | Promise<void>;
  /** Throws where the work is to stop; called about every 100 ms. */
  yieldToEventLoop(): Promise<void>;
  /** Worker threads: as many as cores (and chains) if not given; 0 runs all chains here. */
  workers?: number | undefined;
}

/** Cost of one iteration, at a guess: 1 gradient of whitened draws, 3 to 7 of others, each with its own overhead. */
const GRADIENTS_AN_ITERATION = 2;
const OVERHEAD_FLOPS = 500;

/**
 * Below this, all chains are done here before two worker threads would be: those need 0.14 s of their cores until the first
 * draw (most of it to load and strip modules), so that they pay from 0.28 s of work on, at about 5e9 flops a second.
 */
const WORTH_A_WORKER = 1.5e9;

/** Here, work between two yields: some tens of milliseconds. */
const FLOPS_A_YIELD = 3e7;

/**
 * One result a chain, in order; the same for the same stream whatever `workers` is. Throws NoStartError where a chain
 * finds no start, WorkerDiedError where a worker thread dies, and what `onProgress` and `yieldToEventLoop` throw, within about 100 ms.
 */
export async function sampleChains<Data>(task: SamplingTask<Data>): Promise<ChainResult[]> {
  const { chains, options } = task;
  const order: ChainOrder<Data> = {
    data: task.data,
    options,
    // All that a thread can be sent of a stream is a number.
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

// Chains in worker threads: each thread takes the next chain as soon as it is free.

interface WorkerRun<Data> {
  program: ChainProgram<Data>;
  order: ChainOrder<Data>;
  chains: number;
  workers: number;
  progress: Progress;
  yieldToEventLoop(): Promise<void>;
}

/** One result a chain. Whatever ends it, no thread is left. */
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

// How far the chains are, ten times at most.

const TIMES = 10;

interface Progress {
  /** Says how far the chains are, if that is a tenth further than when it was last said. */
  tell(): Promise<void>;
}

/** `counters`: two a chain, iterations done and divergences among the draws. `total`: iterations of all chains together. */
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

// What a worker thread is given, and what it answers.

export interface ChainProgram<Data> {
  /** The same density for the same data, wherever it is called. */
  build(data: Data): LogDensity;
  /** A module for a worker thread, which calls `serveChains(build)`. */
  entry: URL;
}

/** All of a worker's work, as its `workerData`. Typed arrays in it are on shared memory. */
interface ChainOrder<Data> {
  data: Data;
  options: ChainOptions;
  seed: number;
  /** Two 32-bit counters a chain: iterations done, divergences among the draws. */
  counters: Int32Array;
}

/** Orders to a worker: the number of the chain to run next. */
type ChainTurn = number;

type ChainReply =
  | { kind: 'done'; chain: number; result: ChainResult }
  | { kind: 'no_start'; chain: number; tries: number };

/** The name of a chain's random stream: its own, whoever runs it. */
const chainStream = (chain: number): string => `chain ${chain}`;

// A worker thread's side: it runs one chain after another, as requested.

/** Not checked with zod: both sides are one version of this code, and to load a library takes longer than to start. */
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
