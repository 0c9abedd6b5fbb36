/** What chains are run on, here or in worker threads: plain data, and what makes a log density of them. */
import type { ChainOptions, ChainResult } from '../../../numerics/mcmc/chain.ts';
import type { LogDensity } from '../../../numerics/mcmc/logDensity.ts';

export interface ChainProgram<Data> {
  /** The same density for the same data, wherever it is called. */
  build(data: Data): LogDensity;
  /** A module for a worker thread, which calls `serveChains(build)`. */
  entry: URL;
}

/** All of a worker's work, as its `workerData`. Typed arrays in it are on shared memory. */
export interface ChainOrder<Data> {
  data: Data;
  options: ChainOptions;
  seed: number;
  /** Two 32-bit counters a chain: iterations done, divergences among the draws. */
  counters: Int32Array;
}

/** Orders to a worker: the number of the chain to run next. */
export type ChainTurn = number;

export type ChainReply =
  | { kind: 'done'; chain: number; result: ChainResult }
  | { kind: 'no_start'; chain: number; tries: number };

/** The name of a chain's random stream: its own, whoever runs it. */
export const chainStream = (chain: number): string => `chain ${chain}`;
