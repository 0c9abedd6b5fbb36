import { describe, expect, it } from 'vitest';
import { kendallTau } from '../../../../packages/numerics/copula/kendallTau.ts';
import { fitVine } from '../../../../packages/numerics/copula/vine/fitVine.ts';
import { simulateVine, vineLogDensity } from '../../../../packages/numerics/copula/vine/simulateVine.ts';
import { restoreVine, saveVine, type VineData } from '../../../../packages/numerics/copula/vine/vine.ts';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { dependentColumns } from './support/dependentColumns.ts';

const line = (n: number) => Float64Array.from({ length: n }, (_, i) => (i + 1) / (n + 1));

/** Two columns of normal scores with correlation 0.8, cut at 99.3 %: F(x) and F(x⁻) of the atom and what is above it. */
function atoms(n: number): VineData {
  const random = createStream(1, 'atoms');
  const share = 0.993;
  const u = [new Float64Array(n), new Float64Array(n)];
  const uBelow = [new Float64Array(n), new Float64Array(n)];
  for (let i = 0; i < n; i++) {
    const first = random.uniform();
    const second = random.uniform() < 0.8 ? first : random.uniform();
    for (const [k, value] of [first, second].entries()) {
      u[k]![i] = Math.max(value, share);
      uBelow[k]![i] = value < share ? 0 : value;
    }
  }
  return { u, uBelow };
}

const missing = (): VineData => {
  const u = dependentColumns(4, 400, 7);
  for (let i = 0; i < 400; i += 3) u[1]![i] = Number.NaN;
  u[3]!.fill(Number.NaN);
  return { u };
};

const CASES: [string, () => VineData][] = [
  ['one column', () => ({ u: [line(50)] })],
  ['two equal columns', () => ({ u: [line(500), line(500)] })],
  ['a comonotone set', () => ({ u: [line(400), line(400), line(400).reverse(), line(400)] })],
  ['a constant column', () => ({ u: [line(100), new Float64Array(100).fill(0.5), line(100).reverse()] })],
  ['3 rows', () => ({ u: dependentColumns(4, 3, 1) })],
  ['1 row', () => ({ u: dependentColumns(3, 1, 1) })],
  ['no rows', () => ({ u: [new Float64Array(0), new Float64Array(0)] })],
  ['atoms over 99 %', () => atoms(1000)],
  ['missing cells, and a column with nothing else', missing],
  ['ranks at the very edge', () => ({ u: [Float64Array.of(0, 1, 0.5, 0, 1, 0.5), Float64Array.of(0, 1, 0, 1, 0, 1)] })],
];

describe.each(CASES)('%s', (_, make) => {
  it('ends in a vine that simulates numbers', async () => {
    const data = make();
    const vine = await fitVine(data);
    const drawn = simulateVine(restoreVine(JSON.parse(JSON.stringify(saveVine(vine)))), 200, createStream(1, 'bad'));
    expect(drawn.length).toBe(data.u.length);
    for (const column of drawn) expect(column.every((value) => value >= 0 && value <= 1)).toBe(true);
    expect(vineLogDensity(vine, data).every(Number.isFinite)).toBe(true);
  });
});

describe('hard sets', () => {
  it('a comonotone set simulates columns that go together, or against one another', async () => {
    const drawn = simulateVine(
      await fitVine({ u: [line(2000), line(2000), line(2000).reverse()] }),
      1000,
      createStream(1, 'line'),
    );
    expect(kendallTau(drawn[0]!, drawn[1]!)).toBeGreaterThan(0.9);
    expect(kendallTau(drawn[0]!, drawn[2]!)).toBeLessThan(-0.9);
  });

  it('discrete columns keep the dependence between them', async () => {
    const u = dependentColumns(3, 2000, 6);
    const levels = 4;
    const data = {
      u: u.map((column) => column.map((value) => Math.ceil(value * levels) / levels)),
      uBelow: u.map((column) => column.map((value) => (Math.ceil(value * levels) - 1) / levels)),
    };
    const vine = await fitVine(data);
    const drawn = simulateVine(vine, 4000, createStream(2, 'levels'));
    const coarse = (column: Float64Array) => column.map((value) => Math.ceil(value * levels));
    for (const [a, b] of [
      [0, 1],
      [1, 2],
      [0, 2],
    ] as const) {
      const own = kendallTau(coarse(drawn[a]!), coarse(drawn[b]!));
      expect(Math.abs(own - kendallTau(data.u[a]!, data.u[b]!))).toBeLessThan(0.07);
    }
  });

  it('200 columns end in a vine of all trees that are asked for', async () => {
    const vine = await fitVine({ u: dependentColumns(200, 60, 5) }, { truncation: 2 });
    expect(vine.pairs.map((tree) => tree.length)).toEqual([199, 198]);
    expect(simulateVine(vine, 10, createStream(1, 'wide')).length).toBe(200);
  });

  it('what is no data, or no vine, is refused with what was found', async () => {
    await expect(fitVine({ u: [] })).rejects.toThrow('there are none');
    await expect(fitVine({ u: [line(3), line(4)] })).rejects.toThrow('3, 4');
    await expect(fitVine({ u: [line(3)] }, { givenFirst: [4] })).rejects.toThrow('no column 4');
    const structure = {
      order: [0, 1, 2, 3],
      array: [
        [1, 2, 3],
        [3, 3],
      ],
    };
    await expect(fitVine({ u: [line(9), line(9), line(9), line(9)] }, { structure })).rejects.toThrow(
      'no regular vine',
    );
  });

  it('a saved vine with a pair of another family, or with a grid cut short, is refused with what was found', async () => {
    const saved = saveVine(await fitVine({ u: dependentColumns(3, 200, 5) }));
    const [first, ...rest] = saved.pairs[0]!;
    const withFirst = (pair: object) => ({ ...saved, pairs: [[pair, ...rest], saved.pairs[1]!] });
    expect(restoreVine(withFirst({ family: 'independence' })).pairs[0]![0]!.family).toBe('independence');
    const clayton = { family: 'clayton', rotation: 90, parameters: [2] };
    expect(() => restoreVine(withFirst(clayton))).toThrow(
      new RangeError("there is no pair copula 'clayton': pairs are tll or independence"),
    );
    expect(() => restoreVine(withFirst({ ...first, grid: undefined }))).toThrow('pairs[0][0].grid is undefined');
    expect(() => restoreVine(withFirst({ ...first, grid: { ...first!.grid!, size: 7 } }))).toThrow('a grid of 7 × 7');
  });
});
