/** Runs the chains of one posterior, in worker threads where that is faster. The draws are the same wherever they run. */
import { availableParallelism } from 'node:os';
import { Chain, type ChainOptions, type ChainResult } from '../../../numerics/mcmc/chain.ts';
import { createStream } from '../../../numerics/random/createStream.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { Report } from '../model.ts';
import { type ChainOrder, type ChainProgram, chainStream } from './chainProgram.ts';
import { createCounts, type SamplingCounts } from './samplingCounts.ts';
import { shareArrays } from './shareArrays.ts';
import { runInWorkers } from './workerChains.ts';

export interface SamplingTask<Data> {
  program: ChainProgram<Data>;
  data: Data;
  /** `draws` and `tune` are per chain. */
  options: ChainOptions;
  /** 4 is the custom. */
  chains: number;
  /** Multiplications and additions of one gradient, about: what decides whether worker threads pay. */
  gradientFlops: number;
  random: RandomStream;
  /** A line now and then; throws where the job is to stop. */
  report: Report;
  /** Throws where the job is to stop; called about every 100 ms. */
  breathe(): Promise<void>;
  /** Worker threads: as many as cores (and chains) if not given; 0 runs all chains here. */
  workers?: number;
}

/** Of one iteration, at a guess: trajectories of 3 to 7 gradients, each with its own overhead. */
const GRADIENTS_AN_ITERATION = 5;
const OVERHEAD_FLOPS = 500;

/**
 * Below this, all chains are done here before two worker threads would be: those need 0.14 s of their cores until the first
 * draw (most of it to load and strip modules), so that they pay from 0.28 s of work on, at about 1e9 flops a second.
 */
const WORTH_A_WORKER = 3e8;

/** Here, work between two breaths: some tens of milliseconds. */
const FLOPS_A_BREATH = 3e7;

/**
 * One result a chain, in order; the same for the same stream whatever `workers` is. Throws NoStartError where a chain
 * finds no start, JobError where a worker thread dies, and what `report` and `breathe` throw, within about 100 ms.
 */
export async function sampleChains<Data>(task: SamplingTask<Data>): Promise<ChainResult[]> {
  const { chains, options } = task;
  const order: ChainOrder<Data> = {
    data: task.data,
    options,
    // All that a thread can be told of a stream is a number.
    seed: Math.floor(task.random.child('chains').uniform() * Number.MAX_SAFE_INTEGER),
    counters: new Int32Array(new SharedArrayBuffer(2 * chains * Int32Array.BYTES_PER_ELEMENT)),
  };
  const counts = createCounts(order.counters, chains * (options.draws + options.tune), task.report);
  const workers = task.workers ?? workersFor(task);
  const results =
    workers === 0
      ? await runHere(task, order, counts)
      : await runInWorkers({ ...task, workers, counts, order: shareArrays(order) });
  await counts.report();
  return results;
}

const flopsOf = <Data>({ gradientFlops }: SamplingTask<Data>): number =>
  GRADIENTS_AN_ITERATION * (gradientFlops + OVERHEAD_FLOPS);

function workersFor<Data>(task: SamplingTask<Data>): number {
  const iterations = task.chains * (task.options.draws + task.options.tune);
  if (iterations * flopsOf(task) < WORTH_A_WORKER) return 0;
  return Math.min(task.chains, availableParallelism());
}

async function runHere<Data>(
  task: SamplingTask<Data>,
  { data, options, seed, counters }: ChainOrder<Data>,
  counts: SamplingCounts,
): Promise<ChainResult[]> {
  const density = task.program.build(data);
  const between = Math.max(1, Math.floor(FLOPS_A_BREATH / flopsOf(task)));
  const results: ChainResult[] = [];
  for (let number = 0; number < task.chains; number++) {
    const chain = new Chain(density, options, createStream(seed, chainStream(number)));
    while (!chain.finished) {
      for (let i = 0; i < between; i++) chain.advance();
      counters[2 * number] = chain.iteration;
      counters[2 * number + 1] = chain.divergences;
      await task.breathe();
      await counts.report();
    }
    results.push(chain.result());
  }
  return results;
}
