import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import type { ThreadWork } from '../../../contract/problems.ts';
import { startThread } from '../../../numerics/workers.ts';
import { replyOf } from '../model.ts';

/** A thread takes about 0.3 s to start. */
const WORTH_SECONDS = 1;
const MAX_THREADS = 8;

/** Returns the threads that pay off for `items` taking `seconds` in all. */
export const threadsWorth = (seconds: number, items: number, worth = WORTH_SECONDS): number =>
  seconds < worth ? 0 : Math.min(MAX_THREADS, items, availableParallelism());

export interface PoolSettings {
  /** Module that answers each message with one. */
  entry: URL;
  count: number;
  work: ThreadWork;
  workerData?: unknown;
}

/** Messages are not validated, since both sides run the same version. */
export class ThreadPool<Order, Reply> {
  readonly #workers: readonly Worker[];
  readonly #work: ThreadWork;

  constructor({ entry, count, work, workerData }: PoolSettings) {
    this.#workers = Array.from({ length: count }, () => startThread(entry, workerData));
    this.#work = work;
  }

  /** Serves each item once; `ask` messages a free thread. Throws JobError if a thread dies. */
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
