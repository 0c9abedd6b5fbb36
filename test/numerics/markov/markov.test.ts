import { describe, expect, it } from 'vitest';
import { deal, drawTree } from '../../../packages/numerics/markov/drawTree.ts';
import { fitMarginals } from '../../../packages/numerics/markov/fitMarginals.ts';
import { buildJunctionTree, cellCount, treeCells } from '../../../packages/numerics/markov/junctionTree.ts';
import {
  createMarkovModel,
  marginalOf,
  multiply,
  type Potential,
  recalibrate,
} from '../../../packages/numerics/markov/markovModel.ts';
import { eachPair } from '../../../packages/numerics/markov/pairMarginals.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { expectNear, withinStandardErrors } from '../../support/tolerance.ts';

const SIZES = [2, 3, 2, 4, 2, 3];
/** A cycle of four, a branch, and a variable on its own. */
const SCOPES = [[0, 1], [1, 2], [2, 3], [0, 3], [3, 4], [5]];

function potentialsOf(name: string, scopes = SCOPES): Potential[] {
  const stream = createStream(7, name);
  return scopes.map((scope) => ({
    scope,
    theta: Float64Array.from({ length: cellCount(SIZES, scope) }, () => 2 * stream.normal()),
  }));
}

/** Every cell of the joint distribution, by the sum of its potentials. */
function jointOf(potentials: readonly Potential[]): { levels: number[]; p: number }[] {
  let cells: number[][] = [[]];
  for (const size of SIZES)
    cells = cells.flatMap((cell) => Array.from({ length: size }, (_, level) => [...cell, level]));
  const at = (scope: readonly number[], levels: number[]) =>
    scope.reduce((cell, variable) => cell * SIZES[variable]! + levels[variable]!, 0);
  const weights = cells.map((levels) =>
    Math.exp(potentials.reduce((sum, { scope, theta }) => sum + theta[at(scope, levels)]!, 0)),
  );
  const total = weights.reduce((a, b) => a + b);
  return cells.map((levels, i) => ({ levels, p: weights[i]! / total }));
}

function marginalByHand(joint: ReturnType<typeof jointOf>, scope: readonly number[]): number[] {
  const out = new Array<number>(cellCount(SIZES, scope)).fill(0);
  for (const { levels, p } of joint) {
    out[scope.reduce((cell, variable) => cell * SIZES[variable]! + levels[variable]!, 0)]! += p;
  }
  return out;
}

const expectMarginal = (found: ArrayLike<number>, right: readonly number[], digits = 10): void => {
  expect(found.length).toBe(right.length);
  for (const [at, value] of right.entries()) expect(found[at]).toBeCloseTo(value, digits);
};

describe('a junction tree', () => {
  it('holds every scope in a clique, and the cliques of a variable hang together', () => {
    const tree = buildJunctionTree(SIZES, SCOPES);
    for (const scope of SCOPES)
      expect(tree.some(({ variables }) => scope.every((v) => variables.includes(v)))).toBe(true);
    for (const [at, { variables, parent, separator }] of tree.entries()) {
      expect(parent).toBeLessThan(at);
      // What it has in common with anything before it, it has in common with its parent.
      const before = new Set(tree.slice(0, at).flatMap((clique) => clique.variables));
      expect(variables.filter((v) => before.has(v))).toEqual(separator);
      if (at > 0) for (const v of separator) expect(tree[parent]!.variables).toContain(v);
    }
    expect(treeCells(SIZES, SCOPES)).toBe(tree.reduce((sum, { cells }) => sum + cells, 0));
  });
});

describe('a Markov model', () => {
  const potentials = potentialsOf('first');
  const joint = jointOf(potentials);

  it('has the marginals of the whole table of its joint distribution', () => {
    const model = createMarkovModel(SIZES, potentials);
    for (const scope of [...SCOPES, [0], [3, 2]])
      expectMarginal(marginalOf(model, scope), marginalByHand(joint, scope));
  });

  it('has the marginals of pairs that lie in no clique together', async () => {
    const model = createMarkovModel(SIZES, potentials);
    const seen = new Set<string>();
    await eachPair(model, (i, j, probabilities) => {
      seen.add(`${i} ${j}`);
      expectMarginal(probabilities, marginalByHand(joint, [i, j]));
    });
    expect(seen.size).toBe(15);
  });

  it('is, after factors and messages, what their logarithms make from the start', () => {
    const model = createMarkovModel(SIZES, potentials);
    const change = potentialsOf('change');
    for (const { scope, theta } of change) multiply(model, scope, theta.map(Math.exp));
    recalibrate(model);
    const summed = potentials.map(({ scope, theta }, at) => ({
      scope,
      theta: theta.map((value, cell) => value + change[at]!.theta[cell]!),
    }));
    const right = jointOf(summed);
    for (const scope of SCOPES) expectMarginal(marginalOf(model, scope), marginalByHand(right, scope));
  });

  it('is fitted to the marginals that it is given where they agree', async () => {
    const measured = SCOPES.map((scope) => ({
      scope,
      counts: marginalByHand(joint, scope).map((p) => 1000 * p),
      variances: new Array<number>(cellCount(SIZES, scope)).fill(4),
    }));
    const { model, potentials: found, loss } = await fitMarginals(SIZES, measured, { total: 1000, steps: 2000 });
    // All counts together are less than a row off.
    expect(loss).toBeLessThan(0.1);
    for (const scope of SCOPES) expectMarginal(marginalOf(model, scope), marginalByHand(joint, scope), 3);
    const again = createMarkovModel(SIZES, found);
    for (const scope of SCOPES) expectMarginal(marginalOf(again, scope), [...marginalOf(model, scope)], 9);
  });

  it('is nearly as near to noisy marginals after 60 steps as after thousands', async () => {
    const noise = createStream(11, 'noise');
    const measured = [...SCOPES, [0], [1], [2], [3], [4]].map((scope) => ({
      scope,
      counts: marginalByHand(joint, scope).map((p) => 1000 * p + 10 * noise.normal()),
      variances: new Array<number>(cellCount(SIZES, scope)).fill(scope.length === 1 ? 100 : 400),
    }));
    const lossAfter = async (steps: number) => (await fitMarginals(SIZES, measured, { total: 1000, steps })).loss;
    // Plain mirror descent is 25 % off by then.
    expect(await lossAfter(60)).toBeLessThan(1.005 * (await lossAfter(5000)));
  });

  it('comes to its end where a first long step went wrong: precise counts beside vague ones, as of a star', async () => {
    const noise = createStream(12, 'star');
    const sizes = [2, 12, 12, 12, 12, 12, 12];
    const spreads = [40, 4000, 60, 9000, 500, 30];
    const measured = spreads.map((variance, at) => ({
      scope: [0, at + 1],
      counts: Array.from({ length: 24 }, (_, cell) =>
        Math.round((cell % 12 === 0 ? 8000 : 90) * (cell < 12 ? 0.76 : 0.24) + Math.sqrt(variance) * noise.normal()),
      ),
      variances: new Array<number>(24).fill(variance),
    }));
    const lossAfter = async (steps: number) => (await fitMarginals(sizes, measured, { total: 9000, steps })).loss;
    const reached = await lossAfter(300);
    expect(reached).toBeLessThan(1.1 * (await lossAfter(20_000)));
    // Of 144 cells: where steps shrink to nothing on the way, it is hundreds of thousands.
    expect(reached).toBeLessThan(50);
  });

  it('keeps potentials near 0 that are pulled there, and others where they were', async () => {
    const measured = [
      { scope: [0], counts: [500, 500], variances: [1, 1] },
      { scope: [1], counts: [500, 500], variances: [1, 1] },
      { scope: [0, 1], counts: [400, 100, 100, 400], variances: [100, 100, 100, 100] },
    ];
    const shareOf = async (pull: number) => {
      const { model } = await fitMarginals(
        [2, 2],
        measured.map((own) => ({ ...own, pull: own.scope.length > 1 ? pull : 0 })),
        {
          total: 1000,
          steps: 500,
        },
      );
      return marginalOf(model, [0, 1])[0]!;
    };
    expect(await shareOf(0)).toBeCloseTo(0.4, 4);
    const pulled = await shareOf(0.5);
    expect(pulled).toBeGreaterThan(0.3);
    expect(pulled).toBeLessThan(0.39);
    // The gap is the pull times the potential times the variance: of p in two cells, 1/2 − p in the others, log(p / (1/2 − p)) / 2.
    expect(400 - 1000 * pulled).toBeCloseTo(0.5 * 100 * (Math.log(pulled / (0.5 - pulled)) / 2), 1);
  });

  it('weighs what is measured twice by how precise it is', async () => {
    const measured = [
      { scope: [0], counts: [100, 900], variances: [1, 1] },
      { scope: [0], counts: [200, 800], variances: [4, 4] },
    ];
    const { model } = await fitMarginals([2], measured, { total: 1000, steps: 500 });
    expect(marginalOf(model, [0])[0]).toBeCloseTo(0.12, 4);
  });

  it('draws rows whose pairs are as probable as they are', async () => {
    const model = createMarkovModel(SIZES, potentials);
    const rows = 20_000;
    const levels = await drawTree(model, rows, { random: createStream(3, 'rows') });
    for (const [i, j] of SCOPES.filter((scope) => scope.length === 2)) {
      const found = new Array<number>(cellCount(SIZES, [i!, j!])).fill(0);
      for (let row = 0; row < rows; row++) found[levels[i!]![row]! * SIZES[j!]! + levels[j!]![row]!]! += 1 / rows;
      const right = marginalByHand(joint, [i!, j!]);
      const distance = right.reduce((sum, p, cell) => sum + Math.abs(p - found[cell]!), 0) / 2;
      // Plain draws would be 0.006 apart; dealt rows are nearer.
      expect(distance).toBeLessThan(0.006);
    }
  });

  it('deals whole rows exactly and what is left over by chance', () => {
    const random = createStream(1, 'deal');
    const counts = [0, 0, 0];
    for (let turn = 0; turn < 2000; turn++) {
      const dealt = deal(5, [0.5, 0.3, 0.2], random);
      for (const at of dealt) counts[at]!++;
      expect(dealt.filter((at) => at === 2).length).toBe(1);
    }
    // 2.5 of 5 rows: 5,000 in expectation, with a standard deviation of 22.
    expectNear(counts[0]!, 5000, withinStandardErrors(4.5, 22));
  });
});
