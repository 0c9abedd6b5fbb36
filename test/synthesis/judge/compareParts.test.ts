import { describe, expect, it } from 'vitest';
import { meanWithError } from '../../../packages/numerics/moments.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import type { RandomStream } from '../../../packages/numerics/random/stream.ts';
import { type ComparedPart, compareParts } from '../../../packages/synthesis/judge/fidelity/compareParts.ts';
import { makeParts } from '../../../packages/synthesis/judge/parts.ts';
import { numbers, tableOf } from './tables.ts';

/** Six numbers that nearly are one, as sizes of firms are: where one of few rows is off by chance, all are. */
function sizesOf(rows: number, random: RandomStream) {
  const size = Array.from({ length: rows }, () => random.normal());
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  return tableOf(...names.map((name) => numbers(name, ...size.map((own) => own + 0.1 * random.normal()))));
}

const ROLES = { target: null, continuous: ['a', 'b', 'c', 'd', 'e', 'f'], categorical: [], text: [] };

async function comparedOf(seed: number, rows: number): Promise<ComparedPart> {
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
  return compared[0]!;
}

const SEEDS = Array.from({ length: 20 }, (_, seed) => seed);

describe('a synthetic table beside few held-out rows', () => {
  it('is compared with them, as many of its rows as there are training rows', async () => {
    const { compared, reference } = await comparedOf(0, 1000);
    expect([compared, reference]).toEqual([900, 100]);
  });

  it('is as far from them as training rows and redrawn ones are, if it is an independent sample', async () => {
    const all = await Promise.all(SEEDS.map((seed) => comparedOf(seed, 900)));
    const gaps = all.map(({ made, real: [first] }) => made.synthetic.ks! - first!.ks!);
    const { mean, error } = meanWithError(gaps);
    expect(Math.abs(mean)).toBeLessThan(3 * error);
    const redrawn = all.flatMap(({ real }) => real.slice(1).map(({ ks }) => ks!));
    const own = meanWithError(all.map(({ made }) => made.synthetic.ks!));
    expect(Math.abs(own.mean - meanWithError(redrawn).mean)).toBeLessThan(3 * own.error);
  });
});
