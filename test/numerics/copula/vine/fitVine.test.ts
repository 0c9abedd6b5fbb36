import { describe, expect, it } from 'vitest';
import { kendallTau } from '../../../../packages/numerics/copula/kendallTau.ts';
import type { PairCopula } from '../../../../packages/numerics/copula/pairCopula.ts';
import { fitVine } from '../../../../packages/numerics/copula/vine/fitVine.ts';
import { simulateVine, vineLogDensity } from '../../../../packages/numerics/copula/vine/simulateVine.ts';
import { saveVine, type Vine, type VineStructure } from '../../../../packages/numerics/copula/vine/vine.ts';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { claytonPair, gaussianPair } from '../support/referencePairs.ts';
import { dependentColumns } from './support/dependentColumns.ts';

const STRUCTURE: VineStructure = {
  order: [2, 0, 3, 1],
  array: [[1, 2, 3], [2, 3], [3]],
};
const PAIRS: PairCopula[][] = [
  [claytonPair(2, { turned: true }), gaussianPair(0.7), claytonPair(2)],
  [gaussianPair(-0.55), claytonPair(0.8)],
  [gaussianPair(0.3)],
];
const known: Vine = {
  structure: STRUCTURE,
  pairs: PAIRS,
  fit: { rows: 0, structureRows: 0, logLikelihood: 0, parameterCount: 0, threshold: 0 },
};

const POINTS = [0.001, 0.02, 0.2, 0.45, 0.7, 0.93, 0.995];
const mean = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('a vine that is known', () => {
  it('is recovered from its draws: τ and h-functions of every edge, and the density of other draws', async () => {
    const draws = (seed: number) => simulateVine(known, 3000, createStream(seed, 'known'));
    const vine = await fitVine({ u: draws(9) }, { structure: STRUCTURE });
    expect(vine.structure).toEqual(STRUCTURE);
    vine.pairs.flat().forEach((pair, k) => {
      const truth = PAIRS.flat()[k]!;
      expect(pair.family).toBe('tll');
      expect(Math.abs(pair.tau() - truth.tau())).toBeLessThan(0.05);
      const gaps = POINTS.flatMap((a) => POINTS.map((b) => Math.abs(pair.h1(a, b) - truth.h1(a, b))));
      expect(gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length).toBeLessThan(0.03);
    });
    const fresh = draws(10);
    const [own, best] = [vine, known].map((one) => mean(vineLogDensity(one, { u: fresh })));
    // Six edges, and nothing is as likely as the truth.
    expect(own!).toBeGreaterThan(best! - 0.12);
    expect(own!).toBeLessThan(best!);
  });

  it('has a density that integrates to 1', () => {
    // The mean density at uniform points of a lattice; the error of 50,000 of them is about 0.007 for this vine's tails.
    const n = 50_000;
    const steps = [0.8566748838545029, 0.733891856627126, 0.6287067210378087, 0.5385972572236101];
    const u = steps.map((step) => Float64Array.from({ length: n }, (_, i) => (0.5 + (i + 1) * step) % 1));
    const logs = vineLogDensity(known, { u });
    expect(Math.abs(mean(logs.map(Math.exp)) - 1)).toBeLessThan(0.02);
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
    const settings = { structureRows: 500, fitRows: 1200 };
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
      pairs: [[0.8, 0.7, 0.6, 0.7].map(gaussianPair)],
    };
    const u = simulateVine(line, 1500, createStream(4, 'line'));
    const cut = await fitVine({ u }, { criterion: 'mbicv', truncation: 'mbicv' });
    expect(cut.pairs.length).toBe(1);
    const sparse = await fitVine({ u }, { criterion: 'loglik', threshold: 'mbicv' });
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

  it('by a test leave out edges whose τ may be 0, which the likelihood alone would fit', async () => {
    const random = createStream(2, 'independent');
    const u = [0, 1, 2].map(() => Float64Array.from({ length: 500 }, () => random.uniform()));
    const families = async (own: { independencePretest: boolean }) =>
      (await fitVine({ u }, { criterion: 'loglik', ...own })).pairs.flat().map(({ family }) => family);
    expect(await families({ independencePretest: true })).toEqual(['independence', 'independence', 'independence']);
    expect(await families({ independencePretest: false })).toEqual(['tll', 'tll', 'tll']);
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
