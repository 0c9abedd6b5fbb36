/** Draws from a boosted density, in threads if faster, with the same result. */
import { TaskRunner, threadsWorth } from '../../tasks/runTasks.ts';
import { type DensityDraw, drawDensity } from './columnDensity.ts';

/**
 * Returns u (n). Throws JobError if a thread dies, or whatever `yieldToEventLoop` throws.
 * @param threads defaults to as many as pay off.
 */
export async function drawInThreads(
  task: DensityDraw,
  yieldToEventLoop: () => Promise<void>,
  threads = threadsFor(task),
): Promise<Float64Array> {
  const n = task.ranks.length;
  const parts = Math.max(1, threads);
  const cut = (part: number): number => Math.floor((part * n) / parts);
  const out = new Float64Array(n);
  const runner = new TaskRunner(drawDensity, { threads });
  try {
    const density = runner.share(task.density);
    const orders = Array.from({ length: parts }, (_, part) => () => ({
      ...rowsOf(task, cut(part), cut(part + 1)),
      density,
    }));
    await runner.run(orders, { yieldToEventLoop, take: (u, part) => out.set(u, cut(part)) });
    return out;
  } finally {
    await runner.close();
  }
}

const threadsFor = ({ density, ranks }: DensityDraw): number =>
  threadsWorth(drawDensity, { walk: ranks.length * density.trees.roots.length }, ranks.length);

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
