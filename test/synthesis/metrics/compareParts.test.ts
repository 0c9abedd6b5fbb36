import { describe, expect, it } from 'vitest';
import { meanWithError } from '../../../packages/numerics/moments.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import type { RandomStream } from '../../../packages/numerics/random/stream.ts';
import { compareParts } from '../../../packages/synthesis/metrics/fidelity/compareParts.ts';
import { makeParts } from '../../../packages/synthesis/metrics/parts.ts';
import { numbers, tableOf } from './tables.ts';

/** Six numbers that nearly are one, as sizes of firms are: where one of few rows is off by chance, all are. */
function sizesOf(rows: number, random: RandomStream) {
  const size = Array.from({ length: rows }, () => random.normal());
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  return tableOf(...names.map((name) => numbers(name, ...size.map((own) => own + 0.1 * random.normal()))));
}

const ROLES = { target: null, continuous: ['a', 'b', 'c', 'd', 'e', 'f'], categorical: [], text: [] };

async function ksOf(seed: number, rows: number): Promise<number> {
  const random = createStream(seed, 'compareParts.test');
  const [train, holdout, synthetic] = [900, 100, rows].map((count, at) => sizesOf(count, random.child(`${at}`)));
  const parts = makeParts({
    train: train!,
    holdout: holdout!,
    synthetic: synthetic!,
    folds: undefined,
    roles: ROLES,
    random,
  });
  const { parts: compared } = await compareParts(parts, random.child('compare'), async () => {});
  expect(compared[0]!.compared).toBe(100);
  return compared[0]!.made.synthetic.ks!;
}

const spreadOf = (values: number[]): number => meanWithError(values).error * Math.sqrt(values.length);

describe('a synthetic table beside few held-out rows', () => {
  it('is judged by more of its rows than as many as those', async () => {
    const seeds = Array.from({ length: 20 }, (_, seed) => seed);
    const few = await Promise.all(seeds.map((seed) => ksOf(seed, 100)));
    const many = await Promise.all(seeds.map((seed) => ksOf(seed, 1000)));
    // Means of eight samples: a third of the spread, and more for 20 seeds.
    expect(spreadOf(many)).toBeLessThan(0.6 * spreadOf(few));
    // Each sample is as small as the held-out rows, and so is as far as they are from the training rows.
    expect(meanWithError(many).mean).toBeCloseTo(meanWithError(few).mean, 1);
  });
});
