/** Worker threads of one kind, each of which takes the next piece of work as soon as it is free. */
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import type { ThreadWork } from '../../../contract/problems.ts';
import { startThread } from '../../../numerics/workers.ts';
import { replyOf } from '../model.ts';

/** A thread needs some 0.3 s to begin. */
const WORTH_SECONDS = 1;
const MAX_THREADS = 8;

/** Threads that pay for `items` that take one thread `seconds` in all: as many as cores, and at most eight; 0 for none. */
export const threadsWorth = (seconds: number, items: number, worth = WORTH_SECONDS): number =>
  seconds < worth ? 0 : Math.min(MAX_THREADS, items, availableParallelism());

export interface PoolSettings {
  /** The module that a thread runs: it answers each message with one. */
  entry: URL;
  /** Threads to start. */
  count: number;
  /** What they do, for the error where one dies. */
  work: ThreadWork;
  /** What each is given as it starts. */
  workerData?: unknown;
}

/** Orders and replies are plain data, and not checked: both sides are one version of this code. `close` ends the threads. */
export class ThreadPool<Order, Reply> {
  readonly #workers: readonly Worker[];
  readonly #work: ThreadWork;

  constructor({ entry, count, work, workerData }: PoolSettings) {
    this.#workers = Array.from({ length: count }, () => startThread(entry, workerData));
    this.#work = work;
  }

  /** Serves each item once; `ask` sends an order to the thread that is free, and gives its reply. JobError where a thread dies. */
  async each<Item>(
    items: readonly Item[],
    serve: (item: Item, ask: (order: Order) => Promise<Reply>, at: number) => Promise<void>,
  ): Promise<void> {
    let next = 0;
    const keepBusy = async (worker: Worker): Promise<void> => {
      const ask = (order: Order): Promise<Reply> => {
        worker.postMessage(order);
        return replyOf<Reply>(worker, this.#work);
      };
      while (next < items.length) {
        const at = next++;
        await serve(items[at]!, ask, at);
      }
    };
    await Promise.all(this.#workers.map(keepBusy));
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}
