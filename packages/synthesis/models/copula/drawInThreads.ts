/** Draws from a boosted density, in threads if faster, with the same result. */
import { inSteps } from '../../../numerics/steps.ts';
import { shareArrays, watched } from '../../../numerics/workers.ts';
import { ThreadPool, threadsWorth } from '../shared/threadPool.ts';
import { type DensityDraw, uInBins } from './columnDensity.ts';

const ENTRY = new URL('./drawWorker.ts', import.meta.url);
const SECONDS_A_WALK = 2e-8;

/**
 * Returns u (n). Throws JobError if a thread dies, or whatever `yieldToEventLoop` throws.
 * @param threads defaults to as many as pay off.
 */
export async function drawInThreads(
  task: DensityDraw,
  yieldToEventLoop: () => Promise<void>,
  threads = threadsFor(task),
): Promise<Float64Array> {
  if (threads === 0) return inSteps(uInBins(task), yieldToEventLoop);
  const pool = new ThreadPool<DensityDraw, Float64Array>({ entry: ENTRY, count: threads, work: 'draws' });
  try {
    return await watched(drawParts(task, pool, threads), yieldToEventLoop);
  } finally {
    await pool.close();
  }
}

function threadsFor({ density, ranks }: DensityDraw): number {
  return threadsWorth(ranks.length * density.trees.roots.length * SECONDS_A_WALK, ranks.length);
}

async function drawParts(
  task: DensityDraw,
  pool: ThreadPool<DensityDraw, Float64Array>,
  parts: number,
): Promise<Float64Array> {
  const n = task.ranks.length;
  const cut = (part: number): number => Math.floor((part * n) / parts);
  const density = shareArrays(task.density);
  const out = new Float64Array(n);
  await pool.each([...Array(parts).keys()], async (part, ask) => {
    const own = rowsOf(task, cut(part), cut(part + 1));
    out.set(await ask({ ...shareArrays(own), density }), cut(part));
  });
  return out;
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
