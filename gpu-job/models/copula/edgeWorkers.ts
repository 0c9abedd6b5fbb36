/** Fits the edges of a tree in worker threads: each thread takes the next edge as soon as it is free. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { JobError } from '../../../domain/errors.ts';
import { OUT_OF_MEMORY } from '../../../domain/job/failures.ts';
import type { PairFit } from '../../../numerics/copula/fit/fitPair.ts';
import { restorePair } from '../../../numerics/copula/registry.ts';
import type { EdgeTask } from '../../../numerics/copula/vine/fitEdge.ts';
import type { Choices } from '../../../numerics/copula/vine/settings.ts';
import { shareArrays } from '../regression/shareArrays.ts';
import type { EdgeOrder, EdgeReply } from './edgeWorker.ts';

const ENTRY = new URL('./edgeWorker.ts', import.meta.url);

export class EdgeWorkers {
  readonly #workers: Worker[];
  readonly #breathe: () => Promise<void>;

  /** Starts `count` threads; `close` ends them. `breathe` throws where the job is to stop. */
  constructor(count: number, breathe: () => Promise<void>) {
    this.#workers = Array.from({ length: count }, startWorker);
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
        const { saved, logLikelihood } = await replyOf(worker);
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

function startWorker(): Worker {
  const worker = new Worker(ENTRY, { env: {}, execArgv: ['--disable-warning=ExperimentalWarning'] });
  // Whoever waits for its reply hears of an error too; between replies one must not end the process.
  worker.on('error', () => undefined);
  return worker;
}

async function replyOf(worker: Worker): Promise<EdgeReply> {
  const over = new AbortController();
  try {
    const ended = once(worker, 'exit', { signal: over.signal }).then(() => {
      throw new Error('it ended by itself');
    });
    const [reply] = await Promise.race([once(worker, 'message', { signal: over.signal }), ended]);
    return reply;
  } catch (error) {
    throw failureOf(error);
  } finally {
    over.abort();
  }
}

function failureOf(error: unknown): JobError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return new JobError(OUT_OF_MEMORY.code, OUT_OF_MEMORY.message);
  return new JobError(
    'crashed',
    'A thread that fitted the copula of the continuous columns died. Send POST /generate again; if it ends so again, tell the operator the job_id.',
    { cause: error },
  );
}
