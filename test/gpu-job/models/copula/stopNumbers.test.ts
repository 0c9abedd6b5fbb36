import { describe, expect, test } from 'vitest';
import { leafRankVine } from '../../../../gpu-job/models/copula/leafRankVine.ts';
import { createStream } from '../../../../numerics/random/createStream.ts';
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
  const breathe = async (): Promise<void> => {
    if (seen.breaths >= last) seen.after++;
    seen.breaths++;
    if (seen.breaths === last) throw new Error('stopped');
  };
  return { seen, breathe };
}

describe('a stop of the continuous columns', () => {
  const edges = (d * (d - 1)) / 2;

  test('is heard in the fit at every column, tree and edge', async () => {
    const { seen, breathe } = breathing();
    await leafRankVine.fit({ ...task, breathe });
    // Margin, place, information, and three parts of a tree: a column each; then the edges.
    expect(seen.breaths).toBeGreaterThan(5 * d + edges);
  });

  test('ends the fit where it is heard, wherever that is', async () => {
    const whole = breathing();
    await leafRankVine.fit({ ...task, breathe: whole.breathe });
    for (const share of [0.01, 0.3, 0.6, 0.9, 1]) {
      const { seen, breathe } = breathing(Math.ceil(share * whole.seen.breaths));
      await expect(leafRankVine.fit({ ...task, breathe })).rejects.toThrow('stopped');
      expect(seen.after).toBe(0);
    }
  });

  test('is heard while rows are made, in every block of ranks and column', async () => {
    const fitted = await leafRankVine.fit(task);
    const made = 5000;
    const sample = (breathe: () => Promise<void>) =>
      fitted.sample({ rows: made, made: { rows: made, columns: new Map() }, random, report: silent, breathe });
    const whole = breathing();
    await sample(whole.breathe);
    expect(whole.seen.breaths).toBeGreaterThanOrEqual(made / 1024 + d);
    for (const last of [1, 3, whole.seen.breaths]) {
      const { seen, breathe } = breathing(last);
      await expect(sample(breathe)).rejects.toThrow('stopped');
      expect(seen.after).toBe(0);
    }
  });
});
