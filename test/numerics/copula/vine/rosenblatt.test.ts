import { describe, expect, it } from 'vitest';
import { kendallTau } from '../../../../packages/numerics/copula/kendallTau.ts';
import { fitVine } from '../../../../packages/numerics/copula/vine/fitVine.ts';
import type { VineSettings } from '../../../../packages/numerics/copula/vine/settings.ts';
import {
  inverseRosenblatt,
  rosenblatt,
  simulateGiven,
  simulateVine,
  vineLogDensity,
} from '../../../../packages/numerics/copula/vine/simulateVine.ts';
import { restoreVine, saveVine } from '../../../../packages/numerics/copula/vine/vine.ts';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { expectNear, relative, rounding, withinStandardErrors } from '../../../support/tolerance.ts';
import { dependentColumns } from './support/dependentColumns.ts';

const furthest = (a: readonly Float64Array[], b: readonly Float64Array[]): number =>
  Math.max(...a.map((column, k) => column.reduce((most, x, i) => Math.max(most, Math.abs(x - b[k]![i]!)), 0)));

const KINDS: [string, VineSettings][] = [
  ['the defaults', {}],
  ['quadratic TLL, all edges', { tllDegree: 'quadratic', criterion: 'loglik' }],
  ['a C-vine', { structure: 'cvine' }],
  ['a D-vine', { structure: 'dvine' }],
  ['two trees', { truncation: 2 }],
];

describe.each(KINDS)('a vine by %s', (_, settings) => {
  it.each([2, 3, 5, 10])('of %i columns is undone by its Rosenblatt transform, to 1e-8', async (columns) => {
    const u = dependentColumns(columns, 300, 5);
    const vine = await fitVine({ u }, settings);
    const p = rosenblatt(vine, u);
    expect(furthest(inverseRosenblatt(vine, p), u)).toBeLessThan(1e-8);
    const drawn = simulateVine(vine, 300, createStream(2, 'draws'));
    expect(furthest(inverseRosenblatt(vine, rosenblatt(vine, drawn)), drawn)).toBeLessThan(1e-8);
  });
});

describe.each(KINDS)('the log density of a vine by %s', (_, settings) => {
  it('is, summed over the rows it was fitted to, the likelihood that its edges were fitted with', async () => {
    const u = dependentColumns(8, 300, 6);
    const vine = await fitVine({ u }, settings);
    const sum = vineLogDensity(vine, { u }).reduce((total, log) => total + log, 0);
    // Grids that were transposed add up in another order.
    expectNear(sum, vine.fit.logLikelihood, relative(1e-8));
  });
});

describe('simulation', () => {
  it('of a vine that was saved and restored gives the same bytes', async () => {
    const vine = await fitVine({ u: dependentColumns(5, 400, 1) });
    const again = restoreVine(JSON.parse(JSON.stringify(saveVine(vine))));
    expect(simulateVine(again, 50, createStream(3, 's'))).toEqual(simulateVine(vine, 50, createStream(3, 's')));
    expect(again.fit).toEqual(vine.fit);
  });

  it('given columns keeps them, and draws the others as they hang on them', async () => {
    const u = dependentColumns(6, 1500, 4);
    const vine = await fitVine({ u }, { givenFirst: [4, 1] });
    const n = 1500;
    const given = new Map([1, 4].map((column) => [column, u[column]!] as const));
    const drawn = simulateGiven(vine, given, n, createStream(5, 'given'));
    expect(drawn[1]).toEqual(u[1]);
    expect(drawn[4]).toEqual(u[4]);
    // Standard error of τ at 1,500 rows is 0.017; TLL smooths a strong dependence a little.
    for (const [a, b] of [
      [0, 1],
      [3, 4],
      [4, 5],
      [2, 3],
    ] as const) {
      expectNear(kendallTau(drawn[a]!, drawn[b]!), kendallTau(u[a]!, u[b]!), withinStandardErrors(4.7, 0.017));
    }
  });

  it('given columns that are not first in it is refused with the order', async () => {
    const vine = await fitVine({ u: dependentColumns(4, 100, 4) }, { givenFirst: [0] });
    expect(() => simulateGiven(vine, new Map([[2, new Float64Array(3)]]), 3, createStream(1, 'x'))).toThrow(
      /givenFirst/,
    );
  });
});

describe('the log density', () => {
  it('is that of the pairs by the textbook formula, in three columns', async () => {
    const u = dependentColumns(3, 300, 8);
    const vine = await fitVine({ u }, { criterion: 'loglik' });
    const [order, array] = [vine.structure.order, vine.structure.array];
    expect(array).toEqual([[expect.any(Number), 2], [expect.any(Number)]]);
    const logs = vineLogDensity(vine, { u });
    let total = 0;
    for (let i = 0; i < 300; i++) {
      const [x, y, z] = order.map((column) => u[column]![i]!) as [number, number, number];
      const [first, second] = vine.pairs[0]!;
      // Tree 1: x with y or z, and y with z; tree 2: x with the other, given the one.
      const joined = array[0]![0] === 1;
      const lone = first!.h2(x, joined ? y : z);
      const other = joined ? second!.h1(y, z) : second!.h2(y, z);
      const expected =
        first!.logDensity(x, joined ? y : z) + second!.logDensity(y, z) + vine.pairs[1]![0]!.logDensity(lone, other);
      expectNear(logs[i]!, expected, rounding(1e-10));
      total += logs[i]!;
    }
    expectNear(total, vine.fit.logLikelihood, rounding(1e-6));
  });
});
