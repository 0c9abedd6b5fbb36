import { describe, expect, it } from 'vitest';
import { kendallTau } from '../../../../packages/numerics/copula/kendallTau.ts';
import type { PairCopula } from '../../../../packages/numerics/copula/pairCopula.ts';
import { makePair } from '../../../../packages/numerics/copula/registry.ts';
import { fitVine } from '../../../../packages/numerics/copula/vine/fitVine.ts';
import { simulateVine, vineLogDensity } from '../../../../packages/numerics/copula/vine/simulateVine.ts';
import { saveVine, type Vine, type VineStructure } from '../../../../packages/numerics/copula/vine/vine.ts';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { dependentColumns } from './support/dependentColumns.ts';

const STRUCTURE: VineStructure = {
  order: [2, 0, 3, 1],
  array: [[1, 2, 3], [2, 3], [3]],
};
const PAIRS: PairCopula[][] = [
  [makePair('clayton', 90, [2]), makePair('gaussian', 0, [0.7]), makePair('gumbel', 180, [2])],
  [makePair('frank', 0, [-4]), makePair('joe', 0, [1.6])],
  [makePair('student', 0, [0.3, 4])],
];
const known: Vine = {
  structure: STRUCTURE,
  pairs: PAIRS,
  fit: { rows: 0, structureRows: 0, logLikelihood: 0, parameterCount: 0, threshold: 0 },
};

describe('a vine that is known', () => {
  it('is recovered from its draws: families, rotations and parameters', async () => {
    const u = simulateVine(known, 3000, createStream(9, 'known'));
    const vine = await fitVine({ u }, { structure: STRUCTURE, families: 'itau', method: 'mle' });
    expect(vine.structure).toEqual(STRUCTURE);
    vine.pairs.flat().forEach((pair, k) => {
      const truth = PAIRS.flat()[k]!.save();
      expect([pair.family, pair.rotation]).toEqual([truth.family, truth.rotation]);
      // Four standard errors or so at 3,000 rows; the t's degrees of freedom are wide.
      const [own, theirs] = [pair.save().parameters, truth.parameters];
      expect(Math.abs(own[0]! - theirs[0]!)).toBeLessThan(0.08 * (1 + Math.abs(theirs[0]!)));
      if (own.length > 1) expect(Math.abs(Math.log(own[1]! / theirs[1]!))).toBeLessThan(0.6);
    });
  });

  it('has a density that integrates to 1', () => {
    // The mean density at uniform points of a lattice; the error of 50,000 of them is about 0.007 for this vine's tails.
    const n = 50_000;
    const steps = [0.8566748838545029, 0.733891856627126, 0.6287067210378087, 0.5385972572236101];
    const u = steps.map((step) => Float64Array.from({ length: n }, (_, i) => (0.5 + (i + 1) * step) % 1));
    const logs = vineLogDensity(known, { u });
    expect(Math.abs(logs.reduce((sum, log) => sum + Math.exp(log), 0) / n - 1)).toBeLessThan(0.02);
  });
});

describe("Dissmann's trees", () => {
  it('are the heaviest by |τ|, here by trying every one of four columns', async () => {
    const u = dependentColumns(4, 500, 11);
    const vine = await fitVine({ u });
    const weight = (a: number, b: number) => Math.abs(kendallTau(u[a]!, u[b]!));
    const own = vine.structure.array[0]!.reduce(
      (sum, place, e) => sum + weight(vine.structure.order[e]!, vine.structure.order[place]!),
      0,
    );
    expect(own).toBeCloseTo(
      Math.max(...spanningTrees(4).map((tree) => tree.reduce((s, [a, b]) => s + weight(a, b), 0))),
      12,
    );
  });

  it('are the same, and so are their copulas, from the same rows and stream', async () => {
    const u = dependentColumns(5, 3000, 2);
    const settings = { structureRows: 500, familyRows: 200, fitRows: 1200 };
    const [a, b, c] = [1, 1, 2].map((seed) => fitVine({ u }, settings, { random: createStream(seed, 'rows') }));
    expect(saveVine(await a!)).toEqual(saveVine(await b!));
    expect(saveVine(await c!)).not.toEqual(saveVine(await b!));
    expect((await a!).fit).toMatchObject({ rows: 1200, structureRows: 500 });
  });
});

describe('the hooks', () => {
  it('hear of each tree, and can stop the fit between edges', async () => {
    const u = dependentColumns(4, 100, 3);
    const trees: [number, number][] = [];
    await fitVine({ u }, {}, { onTree: async (...tree) => void trees.push(tree) });
    expect(trees).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
    let breaths = 0;
    const yieldToEventLoop = async () => {
      if (++breaths === 4) throw new Error('stopped');
    };
    await expect(fitVine({ u }, {}, { yieldToEventLoop })).rejects.toThrow('stopped');
  });
});

describe('truncation and thresholds', () => {
  it('by mBICV keep one tree of columns that hang together in a line, and leave out weak edges', async () => {
    const line: Vine = {
      ...known,
      structure: { order: [0, 1, 2, 3, 4], array: [[1, 2, 3, 4]] },
      pairs: [[0.8, 0.7, 0.6, 0.7].map((rho) => makePair('gaussian', 0, [rho]))],
    };
    const u = simulateVine(line, 1500, createStream(4, 'line'));
    const settings = { families: ['gaussian'], criterion: 'mbicv' } as const;
    const cut = await fitVine({ u }, { ...settings, truncation: 'mbicv' });
    expect(cut.pairs.length).toBe(1);
    const sparse = await fitVine({ u }, { ...settings, threshold: 'mbicv', criterion: 'loglik' });
    expect(sparse.fit.threshold).toBeGreaterThan(0);
    expect(sparse.pairs.flat().filter(({ family }) => family !== 'independence').length).toBe(4);
  });

  it('by number are kept to', async () => {
    const u = dependentColumns(6, 300, 3);
    expect((await fitVine({ u }, { truncation: 2 })).pairs.map((tree) => tree.length)).toEqual([5, 4]);
    expect((await fitVine({ u }, { truncation: 0 })).pairs).toEqual([]);
    const none = await fitVine({ u }, { threshold: 1 });
    expect(none.pairs.flat().every(({ family }) => family === 'independence')).toBe(true);
  });
});

/** All spanning trees of a complete graph, by all choices of edges. */
function spanningTrees(nodes: number): [number, number][][] {
  const edges: [number, number][] = [];
  for (let a = 0; a < nodes; a++) for (let b = a + 1; b < nodes; b++) edges.push([a, b]);
  const found: [number, number][][] = [];
  for (let mask = 0; mask < 2 ** edges.length; mask++) {
    const chosen = edges.filter((_, k) => (mask >> k) & 1);
    if (chosen.length === nodes - 1 && isConnected(nodes, chosen)) found.push(chosen);
  }
  return found;
}

function isConnected(nodes: number, edges: [number, number][]): boolean {
  const reached = new Set([0]);
  for (let k = 0; k < nodes; k++)
    for (const [a, b] of edges) if (reached.has(a) || reached.has(b)) reached.add(a).add(b);
  return reached.size === nodes;
}
