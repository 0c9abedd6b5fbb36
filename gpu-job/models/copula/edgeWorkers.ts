/** Fits the edges of a tree in worker threads: each thread takes the next edge as soon as it is free. */
import type { Worker } from 'node:worker_threads';
import type { PairFit } from '../../../numerics/copula/fit/fitPair.ts';
import { restorePair } from '../../../numerics/copula/registry.ts';
import type { EdgeTask } from '../../../numerics/copula/vine/fitEdge.ts';
import type { Choices } from '../../../numerics/copula/vine/settings.ts';
import { shareArrays } from '../regression/shareArrays.ts';
import { replyOf, startThread } from '../shared/threads.ts';
import type { EdgeOrder, EdgeReply } from './edgeWorker.ts';

const ENTRY = new URL('./edgeWorker.ts', import.meta.url);
const WORK = 'fitted the copula of the continuous columns';

export class EdgeWorkers {
  readonly #workers: Worker[];
  readonly #breathe: () => Promise<void>;

  /** Starts `count` threads; `close` ends them. `breathe` throws where the job is to stop. */
  constructor(count: number, breathe: () => Promise<void>) {
    this.#workers = Array.from({ length: count }, () => startThread(ENTRY));
    this.#breathe = breathe;
  }

  /** The fits in the tasks' order: those of `fitEdge`, bit by bit. JobError where a thread dies. */
  async fitEdges(tasks: readonly EdgeTask[], choices: Choices): Promise<PairFit[]> {
    const fits = new Array<PairFit>(tasks.length);
    const shared = shareArrays(tasks);
    let next = 0;
    const serve = async (worker: Worker) => {
      while (next < tasks.length) {
        const at = next++;
        worker.postMessage({ task: shared[at]!, choices } satisfies EdgeOrder);
        const { saved, logLikelihood } = await replyOf<EdgeReply>(worker, WORK);
        fits[at] = { pair: restorePair(saved), logLikelihood };
        await this.#breathe();
      }
    };
    await Promise.all(this.#workers.map(serve));
    return fits;
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}
