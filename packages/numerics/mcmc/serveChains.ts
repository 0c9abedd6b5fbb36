/** A worker thread's side of `sampleChains`: runs one chain after another, as requested. */

import { parentPort, workerData } from 'node:worker_threads';
import { createStream } from '../random/createStream.ts';
import { Chain, type ChainOptions, type ChainResult, NoStartError } from './chain.ts';
import type { LogDensity } from './hamiltonian.ts';

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
type ChainTurn = number;

export type ChainReply =
  | { kind: 'done'; chain: number; result: ChainResult }
  | { kind: 'no_start'; chain: number; tries: number };

/** The name of a chain's random stream: its own, whoever runs it. */
export const chainStream = (chain: number): string => `chain ${chain}`;

// A worker thread's side of `sampleChains`: runs one chain after another, as requested.

/** Not checked with zod: both sides are one version of this code, and to load a library takes longer than to start. */
export function serveChains<Data>(build: (data: Data) => LogDensity): void {
  const order: ChainOrder<Data> = workerData;
  const density = build(order.data);
  parentPort!.on('message', (chain: ChainTurn | null) => {
    if (chain === null) return parentPort!.close();
    const reply = replyOf(density, order, chain);
    const moved = reply.kind === 'done' ? [reply.result.draws.buffer] : [];
    parentPort!.postMessage(
      reply,
      moved.filter((buffer) => buffer instanceof ArrayBuffer),
    );
  });
}

function replyOf<Data>(density: LogDensity, order: ChainOrder<Data>, number: number): ChainReply {
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
