/** Runs the orders of a task, here or in threads. Threads do not change replies. */
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { messagesOf, shareArrays, startThread, WorkerDiedError, watched } from '../../numerics/workers.ts';
import type { Run, Task, TaskCost, TaskHooks, ThreadMessage, ThreadStart } from './task.ts';
import { threadFailure } from './threadFailure.ts';

const ENTRY = new URL('./taskWorker.ts', import.meta.url);
/** A thread takes about 0.3 s to start. */
const WORTH_SECONDS = 1;
const MAX_THREADS = 8;

/** Returns the number of threads that pay off for `units` of work in `orders` orders; 0 runs them here. */
export function threadsWorth<Unit extends string>(
  { cost }: { cost: TaskCost<Unit> },
  units: Readonly<Record<Unit, number>>,
  orders: number,
): number {
  const { worthSeconds = WORTH_SECONDS, fewestOrders = 1, coresInUse = 0 } = cost;
  let seconds = 0;
  for (const unit in cost.seconds) seconds += units[unit] * cost.seconds[unit];
  if (seconds < worthSeconds || orders < fewestOrders) return 0;
  return Math.min(MAX_THREADS, orders, availableParallelism() - coresInUse);
}

export interface TaskRun<Reply, Kept> extends Pick<TaskHooks, 'yieldToEventLoop'> {
  onProgress?: TaskHooks['onProgress'];
  /** Receives each reply as it comes, and returns what to keep of it; `at` is the index of its order. */
  take(reply: Reply, at: number): Kept | Promise<Kept>;
}

interface RunnerSettings<Order, Reply> {
  /** 0 runs orders here. */
  threads: number;
  /** Returns what `open` of the task needs in a thread. */
  sent?(): unknown;
  /** Replaces what `open` returns, for orders run here. */
  here?: Run<Order, Reply>;
}

/** Keeps its threads over several runs; always close it. */
export class TaskRunner<Order, Reply> {
  readonly #task: Task<Order, Reply>;
  readonly #here: Run<Order, Reply> | undefined;
  readonly #workers: readonly Worker[];

  constructor(task: Task<Order, Reply>, { threads, sent, here }: RunnerSettings<Order, Reply>) {
    this.#task = task;
    this.#here = here;
    const start = { name: task.name, sent: threads === 0 ? undefined : sent?.() } satisfies ThreadStart;
    this.#workers = Array.from({ length: threads }, () => startThread(ENTRY, start));
  }

  /** Puts arrays that several orders use on shared memory, if orders run in threads. */
  share<Data>(data: Data): Data {
    return this.#workers.length === 0 ? data : shareArrays(data);
  }

  /**
   * Makes orders as they are needed. Returns what `take` returned, in the order of `orders`. Throws JobError if a thread
   * dies, and whatever the hooks throw.
   */
  async run<Kept>(orders: readonly (() => Order)[], hooks: TaskRun<Reply, Kept>): Promise<Kept[]> {
    if (this.#workers.length === 0) return this.#inTurn(orders, hooks);
    return watched(this.#inThreads(orders, hooks), () => hooks.yieldToEventLoop());
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  async #inTurn<Kept>(orders: readonly (() => Order)[], hooks: TaskRun<Reply, Kept>): Promise<Kept[]> {
    const run = this.#here ?? this.#task.open(undefined);
    const own = { onProgress: async () => {}, ...hooks };
    const kept: Kept[] = [];
    for (const [at, order] of orders.entries()) kept.push(await hooks.take(await run(order(), own), at));
    return kept;
  }

  async #inThreads<Kept>(orders: readonly (() => Order)[], hooks: TaskRun<Reply, Kept>): Promise<Kept[]> {
    const kept = new Array<Kept>(orders.length);
    let next = 0;
    const keepBusy = async (worker: Worker): Promise<void> => {
      while (next < orders.length) {
        const at = next++;
        worker.postMessage(shareArrays(orders[at]!()));
        kept[at] = await hooks.take(await this.#replyOf(worker, hooks), at);
      }
    };
    await Promise.all(this.#workers.map(keepBusy));
    return kept;
  }

  async #replyOf(worker: Worker, { onProgress }: Partial<TaskHooks>): Promise<Reply> {
    try {
      for await (const message of messagesOf<ThreadMessage<Reply>>(worker)) {
        if ('reply' in message) return message.reply;
        await onProgress?.(message.event);
      }
    } catch (error) {
      throw error instanceof WorkerDiedError ? threadFailure(error, this.#task.work) : error;
    }
    throw new Error('a thread sends messages until it ends');
  }
}

/** Runs orders and ends the threads, as `TaskRunner.run`. */
export async function runTasks<Order, Reply, Kept>(
  task: Task<Order, Reply>,
  orders: readonly (() => Order)[],
  settings: RunnerSettings<Order, Reply> & TaskRun<Reply, Kept>,
): Promise<Kept[]> {
  const runner = new TaskRunner(task, settings);
  try {
    return await runner.run(orders, settings);
  } finally {
    await runner.close();
  }
}
