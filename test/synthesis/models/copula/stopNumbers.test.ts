import { describe, expect, test } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { leafRankVine } from '../../../../packages/synthesis/models/copula/leafRankVine.ts';
import { fitTask, numeric, silent, tableOf } from '../tables.ts';

const d = 7;
const rows = 400;
const random = createStream(4, 'stop');
const shared = Float64Array.from({ length: rows }, random.normal);
const names = Array.from({ length: d }, (_, k) => `c${k}`);
const table = tableOf(
  ...names.map((name) =>
    numeric(
      name,
      shared.map((value) => value + random.normal()),
    ),
  ),
);
const task = fitTask(table, names);

/** Counts breaths, and stops the job at the one of number `last`. */
function breathing(last = Number.POSITIVE_INFINITY) {
  const seen = { breaths: 0, after: 0 };
  const yieldToEventLoop = async (): Promise<void> => {
    if (seen.breaths >= last) seen.after++;
    seen.breaths++;
    if (seen.breaths === last) throw new Error('stopped');
  };
  return { seen, yieldToEventLoop };
}

describe('a stop of the continuous columns', () => {
  const edges = (d * (d - 1)) / 2;

  test('is heard in the fit at every column, tree and edge', async () => {
    const { seen, yieldToEventLoop } = breathing();
    await leafRankVine.fit({ ...task, yieldToEventLoop });
    // Margin, place, information, and three parts of a tree: a column each; then the edges.
    expect(seen.breaths).toBeGreaterThan(5 * d + edges);
  });

  test('ends the fit where it is heard, wherever that is', async () => {
    const whole = breathing();
    await leafRankVine.fit({ ...task, yieldToEventLoop: whole.yieldToEventLoop });
    for (const share of [0.01, 0.3, 0.6, 0.9, 1]) {
      const { seen, yieldToEventLoop } = breathing(Math.ceil(share * whole.seen.breaths));
      await expect(leafRankVine.fit({ ...task, yieldToEventLoop })).rejects.toThrow('stopped');
      expect(seen.after).toBe(0);
    }
  });

  test('is heard while rows are made, in every block of ranks and column', async () => {
    const fitted = await leafRankVine.fit(task);
    const made = 5000;
    const sample = (yieldToEventLoop: () => Promise<void>) =>
      fitted.sample({
        rows: made,
        made: { rows: made, columns: new Map() },
        random,
        onProgress: silent,
        yieldToEventLoop,
      });
    const whole = breathing();
    await sample(whole.yieldToEventLoop);
    expect(whole.seen.breaths).toBeGreaterThanOrEqual(made / 1024 + d);
    for (const last of [1, 3, whole.seen.breaths]) {
      const { seen, yieldToEventLoop } = breathing(last);
      await expect(sample(yieldToEventLoop)).rejects.toThrow('stopped');
      expect(seen.after).toBe(0);
    }
  });
});
