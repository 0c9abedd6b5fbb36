/** A worker thread's side of `sampleChains`: runs one chain after another, as it is told. */
import { parentPort, workerData } from 'node:worker_threads';
import { Chain } from '../../../numerics/mcmc/chain.ts';
import { NoStartError } from '../../../numerics/mcmc/findStart.ts';
import type { LogDensity } from '../../../numerics/mcmc/logDensity.ts';
import { createStream } from '../../../numerics/random/createStream.ts';
import { type ChainOrder, type ChainReply, type ChainTurn, chainStream } from './chainProgram.ts';

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
