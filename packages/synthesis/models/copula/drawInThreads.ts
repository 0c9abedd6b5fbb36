/** Draws from boosted densities, rows shared out among threads where that is faster. What comes out is the same. */
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { inSteps } from '../../../numerics/steps.ts';
import { shareArrays, startThread, watched } from '../../../numerics/workers.ts';
import { replyOf } from '../model.ts';
import { type ColumnDensity, type DensityDraw, uInBins } from './columnDensity.ts';

const ENTRY = new URL('./drawWorker.ts', import.meta.url);
/** Seconds of one thread for a row and a tree, at a guess. */
const SECONDS_A_WALK = 2e-8;
/** A thread needs 0.2 s to begin. */
const WORTH_THREADS = 1;
const MAX_THREADS = 8;

/** Threads that draw `rows` rows from all of these densities, one after the other, are worth starting: so many; 0 for none. */
export function threadsFor(densities: readonly ColumnDensity[], rows: number): number {
  const trees = densities.reduce((sum, { trees: own }) => sum + own.roots.length, 0);
  return rows * trees * SECONDS_A_WALK < WORTH_THREADS ? 0 : Math.min(MAX_THREADS, availableParallelism());
}

export class DrawThreads {
  readonly #workers: readonly Worker[];
  readonly #yieldToEventLoop: () => Promise<void>;
  readonly #shared = new Map<ColumnDensity, ColumnDensity>();

  /** Starts `count` threads, none for 0; `close` ends them. `yieldToEventLoop` throws where the job is to stop. */
  constructor(count: number, yieldToEventLoop: () => Promise<void>) {
    this.#workers = Array.from({ length: count }, () => startThread(ENTRY));
    this.#yieldToEventLoop = yieldToEventLoop;
  }

  /** u of each row, n. JobError where a thread dies. */
  async draw(task: DensityDraw): Promise<Float64Array> {
    const workers = this.#workers;
    if (workers.length === 0) return inSteps(uInBins(task), this.#yieldToEventLoop);
    const n = task.ranks.length;
    const cut = (part: number): number => Math.floor((part * n) / workers.length);
    const density = this.#share(task.density);
    const drawn = workers.map((worker, part) => {
      const piece = shareArrays(rowsOf(task, cut(part), cut(part + 1)));
      worker.postMessage({ ...piece, density } satisfies DensityDraw);
      return replyOf<Float64Array>(worker, 'draws');
    });
    const parts = await watched(Promise.all(drawn), this.#yieldToEventLoop);
    const out = new Float64Array(n);
    for (const [part, own] of parts.entries()) out.set(own, cut(part));
    return out;
  }

  /** A density is put on shared memory once. */
  #share(density: ColumnDensity): ColumnDensity {
    const shared = this.#shared.get(density) ?? shareArrays(density);
    this.#shared.set(density, shared);
    return shared;
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

function rowsOf({ ranks, features, scores }: DensityDraw, from: number, to: number): Omit<DensityDraw, 'density'> {
  return {
    ranks: ranks.subarray(from, to),
    scores: scores.map((own) => own.subarray(from, to)),
    features: {
      rows: to - from,
      features: features.features.map((feature) =>
        feature.kind === 'numeric'
          ? { ...feature, values: feature.values.subarray(from, to) }
          : { ...feature, codes: feature.codes.subarray(from, to) },
      ),
    },
  };
}

/** u of each row of one density, n: as `DrawThreads`, of threads that end with it. */
export async function drawAlone(task: DensityDraw, yieldToEventLoop: () => Promise<void>): Promise<Float64Array> {
  const threads = new DrawThreads(threadsFor([task.density], task.ranks.length), yieldToEventLoop);
  try {
    return await threads.draw(task);
  } finally {
    await threads.close();
  }
}
