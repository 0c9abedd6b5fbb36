import { describe, expect, test } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { finish } from '../../../packages/numerics/steps.ts';
import type { BinnedColumns } from '../../../packages/numerics/trees/classHistograms.ts';
import { spreadsOf } from '../../../packages/numerics/trees/classProbabilities.ts';
import { type ClassTrees, LEAF, levelCode, poolTrees } from '../../../packages/numerics/trees/classTrees.ts';
import { binTable, type FeatureTable } from '../../../packages/numerics/trees/features.ts';
import { type ClassBoosting, fitClassTrees } from '../../../packages/numerics/trees/fitClassTrees.ts';
import { ClassTreeGrower } from '../../../packages/numerics/trees/growClassTree.ts';
import { eachProbabilities } from '../../../packages/numerics/trees/walkTrees.ts';

const binsOf = (table: FeatureTable, target: Float64Array) => binTable(table, target).map(({ bins }) => bins);

const random = createStream(4, 'class trees');
const settings: ClassBoosting = {
  rounds: 60,
  learningRate: 0.2,
  maxLeaves: 8,
  maxDepth: 6,
  minLeafRows: 20,
  shrinkageRows: 2,
  sketches: 3,
  patience: 60,
  alike: null,
};
const rowsOf = (n: number): Int32Array => Int32Array.from({ length: n }, (_, row) => row);

/** Two numbers, the first with missing cells, and a category whose levels have no order. */
function tableOf(n: number): FeatureTable & { x: Float64Array; codes: Int32Array } {
  const x = Float64Array.from({ length: n }, (_, i) => (i % 13 === 0 ? Number.NaN : random.uniform()));
  const other = Float64Array.from({ length: n }, () => random.uniform());
  const codes = Int32Array.from({ length: n }, () => random.integer(6));
  const features = [
    { kind: 'numeric' as const, values: x },
    { kind: 'numeric' as const, values: other },
    { kind: 'category' as const, codes, levels: 6 },
  ];
  return { rows: n, features, x, codes };
}

/** What the class depends on: whether x is large, and whether the level is odd. */
const truth = (x: number, code: number): number[] => {
  const side = Number.isNaN(x) ? 2 : x > 0.6 ? 1 : 0;
  return [
    [0.7, 0.1, 0.1, 0.1],
    [0.1, 0.7, 0.1, 0.1],
    [0.1, 0.1, 0.7, 0.1],
    [0.1, 0.1, 0.1, 0.7],
  ][(side + (code % 2)) % 4]!;
};

function drawClass(p: readonly number[]): number {
  const at = random.uniform();
  return [1, 2, 3].filter((k) => p.slice(0, k).reduce((sum, share) => sum + share, 0) < at).length;
}

const probabilities = (trees: ClassTrees, table: FeatureTable): number[][] => {
  const out: number[][] = [];
  finish(eachProbabilities(trees, table, (_, p) => out.push(Array.from(p))));
  return out;
};

/** Slow and legible: one row after the other, one tree after the other. */
function slowProbabilities(trees: ClassTrees, table: FeatureTable, row: number): number[] {
  const logs = Array.from(trees.base);
  for (const root of trees.roots) {
    let node = root;
    while (trees.feature[node] !== LEAF) {
      const split = trees.feature[node]!;
      const f = split < 0 ? levelCode(split) : split;
      const feature = table.features[f]!;
      const bins = trees.binning[f]!;
      let goesLeft: boolean;
      if (feature.kind === 'numeric' && bins.kind === 'numeric') {
        const value = feature.values[row]!;
        const bin = Number.isNaN(value) ? bins.cuts.length + 1 : bins.cuts.filter((cut) => cut < value).length;
        goesLeft = bin <= trees.test[node]!;
      } else if (feature.kind === 'category' && bins.kind === 'category') {
        const bin = bins.binOfLevel[feature.codes[row]!] ?? bins.bins;
        goesLeft = ((trees.sides[trees.test[node]! + Math.floor(bin / 32)]! >>> (bin % 32)) & 1) === 1;
      } else throw new Error('another kind');
      node = trees.left[node]! + (goesLeft ? 0 : 1);
    }
    for (let k = 0; k < trees.classes; k++) logs[k]! += trees.values[trees.test[node]! + k]!;
  }
  const sum = logs.reduce((all, log) => all + Math.exp(log), 0);
  return logs.map((log) => Math.exp(log) / sum);
}

describe('boosted class probabilities', () => {
  const n = 4000;
  const table = tableOf(n);
  const classes = Int32Array.from({ length: n }, (_, row) => drawClass(truth(table.x[row]!, table.codes[row]!)));
  const binning = binsOf(table, Float64Array.from(classes));
  const boost = (rows: Int32Array, apart: Int32Array, own: Partial<ClassBoosting> = {}, of = classes) =>
    finish(
      fitClassTrees(
        { table, binning, classes: of, kinds: 4, rows, apart },
        { ...settings, ...own },
        createStream(1, 'sketches'),
      ),
    );
  const [seen, apart] = [rowsOf(n).slice(0, 3000), rowsOf(n).slice(3000)];
  const fitted = boost(seen, apart);

  test('come near the true ones, for numbers, levels without an order, and missing cells', () => {
    const off = probabilities(fitted, table).map((p, row) =>
      Math.max(...p.map((own, k) => Math.abs(own - truth(table.x[row]!, table.codes[row]!)[k]!))),
    );
    // Of 3,000 rows a sixth have one side and parity: a share of .7 has a standard error of .02; the rest is shrinkage.
    expect(off.reduce((sum, own) => sum + own, 0) / n).toBeLessThan(0.06);
  });

  test('are those of a slow reading, row by row, and sum to 1', () => {
    probabilities(fitted, table).forEach((p, row) => {
      if (row % 97 !== 0) return;
      // Logarithms are summed as f32: some dozen of them, of which each is rounded by 1e-8 or less.
      for (const [k, own] of slowProbabilities(fitted, table, row).entries()) expect(p[k]).toBeCloseTo(own, 6);
      expect(p.reduce((sum, own) => sum + own, 0)).toBeCloseTo(1, 12);
    });
  });

  test('are those of a slow reading where trees have more leaves than a word, and levels more bins than a table', () => {
    const rows = 1003;
    const wide = tableOf(rows);
    const codes = Int32Array.from({ length: rows }, (_, row) => (row % 11 === 0 ? -1 : random.integer(70)));
    const own = { ...wide, features: [...wide.features, { kind: 'category' as const, codes, levels: 70 }] };
    const noisy = codes.map((code, row) =>
      row % 3 === 0 ? random.integer(4) : (code + (wide.x[row]! > 0.5 ? 1 : 0)) & 3,
    );
    const task = { table: own, binning: binsOf(own, Float64Array.from(noisy)), classes: noisy, kinds: 4 };
    const deep = { ...settings, rounds: 6, maxLeaves: 70, maxDepth: 30, minLeafRows: 4 };
    const rowsApart = { rows: rowsOf(rows), apart: new Int32Array(0) };
    const trees = finish(fitClassTrees({ ...task, ...rowsApart }, deep, createStream(2, 'sketches')));
    const leaves = trees.values.length / 4 / trees.roots.length;
    expect(leaves).toBeGreaterThan(64);
    expect(trees.feature.some((f) => levelCode(f) === 3)).toBe(true);
    probabilities(trees, own).forEach((p, row) => {
      for (const [k, one] of slowProbabilities(trees, own, row).entries()) expect(p[k]).toBeCloseTo(one, 5);
    });
  });

  test('of several fits are the mean of their logarithms', () => {
    const fits = [0, 1, 2].map((fit) => {
      const own = rowsOf(n)
        .slice(0, 3000)
        .filter((row) => row % 3 !== fit);
      return boost(own, apart, { rounds: 5 + fit });
    });
    const pooled = probabilities(poolTrees(fits), table);
    const each = fits.map((fit) => probabilities(fit, table));
    for (let row = 0; row < n; row += 61) {
      const logs = [0, 1, 2, 3].map((k) => each.reduce((sum, own) => sum + Math.log(own[row]![k]!) / 3, 0));
      const all = logs.reduce((sum, log) => sum + Math.exp(log), 0);
      for (const [k, log] of logs.entries()) expect(pooled[row]![k]).toBeCloseTo(Math.exp(log) / all, 6);
    }
    expect(poolTrees([fitted])).toBe(fitted);
    expect(() => poolTrees([])).toThrow('no trees');
    expect(() => poolTrees([fitted, { ...fitted, classes: 3 }])).toThrow('other classes');
  });

  test('have as many rounds as score best on rows apart', () => {
    const scoreOf = (trees: ClassTrees): number => {
      const p = probabilities(trees, table);
      return apart.reduce((sum, row) => sum + Math.log(p[row]![classes[row]!]!), 0) / apart.length;
    };
    const rounds = fitted.roots.length;
    expect(rounds).toBeGreaterThan(3);
    for (const other of [1, rounds - 1, rounds + 1, 60]) {
      const same = boost(seen, new Int32Array(0), { rounds: other });
      expect(scoreOf(fitted)).toBeGreaterThanOrEqual(scoreOf(same) - 2e-4);
    }
  });

  test('stay near the shares where nothing says anything of the class', () => {
    const blind = Int32Array.from({ length: n }, () => random.integer(4));
    const trees = boost(seen, apart, { patience: 10 }, blind);
    for (const p of probabilities(trees, table)) expect(Math.max(...p)).toBeLessThan(0.35);
  });

  test('are the same for the same rows and stream', () => {
    expect(boost(seen, apart)).toEqual(fitted);
  });

  test('are the shares of the classes where no tree may be grown', () => {
    const trees = boost(seen, new Int32Array(0), { rounds: 0 });
    const shares = [0, 1, 2, 3].map((k) => (seen.filter((row) => classes[row] === k).length + 0.5) / 3002);
    for (const [k, own] of probabilities(trees, table)[7]!.entries()) expect(own).toBeCloseTo(shares[k]!, 8);
  });
});

describe('a tree of several gradients', () => {
  const n = 300;
  const columns = [0, 1].map(() => Uint8Array.from({ length: n }, () => random.integer(5)));
  const data: BinnedColumns = { columns, bins: [5, 5], isLevel: [false, true] };
  const gradients = Float32Array.from({ length: 3 * n }, () => random.normal());
  const own = { maxLeaves: 2, maxDepth: 1, minLeafRows: 30, shrinkageRows: 1 };
  const score = (rows: readonly number[]): number =>
    [0, 1, 2].reduce((sum, s) => sum + rows.reduce((all, row) => all + gradients[3 * row + s]!, 0) ** 2, 0) /
    (rows.length + own.shrinkageRows);
  const gainOf = (left: (row: number) => boolean): number => {
    const rows = [...rowsOf(n)];
    const [a, b] = [rows.filter(left), rows.filter((row) => !left(row))];
    return Math.min(a.length, b.length) < own.minLeafRows ? 0 : score(a) + score(b) - score(rows);
  };

  test('splits where the sum of squares falls most, of all splits of numbers and at least all of a number', () => {
    const grower = new ClassTreeGrower(data, new Uint32Array(n), 3, own);
    grower.order.set(rowsOf(n));
    const [root, left] = grower.grow(gradients, n);
    const { feature, bin, sides, gain } = root!.split!;
    const goesLeft = (row: number): boolean => {
      const at = columns[feature]![row]!;
      return sides ? sides[at] === 1 : at <= bin;
    };
    expect(gain).toBeCloseTo(gainOf(goesLeft), 8);
    for (const cut of [0, 1, 2, 3])
      expect(gain).toBeGreaterThanOrEqual(gainOf((row) => columns[0]![row]! <= cut) - 1e-9);
    expect(left!.end - left!.start).toBe([...rowsOf(n)].filter(goesLeft).length);
  });

  test('has leaves of enough rows', () => {
    const grower = new ClassTreeGrower(data, new Uint32Array(n), 3, { ...own, maxLeaves: 50, maxDepth: 20 });
    grower.order.set(rowsOf(n));
    const leaves = grower.grow(gradients, n).filter(({ split }) => !split);
    expect(leaves.length).toBeGreaterThan(2);
    for (const { start, end } of leaves) expect(end - start).toBeGreaterThanOrEqual(own.minLeafRows);
    expect(leaves.reduce((sum, { start, end }) => sum + end - start, 0)).toBe(n);
  });
});

describe('what spreads the rows of a leaf over its classes', () => {
  const kinds = 40;
  const column = (alike: Float64Array, from: number): Float64Array => {
    const spreads = spreadsOf(alike);
    return Float64Array.from({ length: kinds }, (_, to) => spreads[to * kinds + from]!);
  };

  test('keeps their number, and is a bell of .057 of the classes with a twentieth that stays', () => {
    const of = column(new Float64Array(kinds - 1).fill(1), 20);
    expect(of.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
    const variance = of.reduce((sum, share, k) => sum + share * (k - 20) ** 2, 0);
    expect(Math.sqrt(variance / 0.95) / kinds).toBeCloseTo(0.057, 2);
    expect(of[20]! - of[19]!).toBeGreaterThan(0.05);
  });

  test('leaves rows where neighbours are not like them, as those of a point mass', () => {
    const alike = new Float64Array(kinds - 1).fill(1).fill(0, 9, 11);
    expect(column(alike, 10)[10]).toBeCloseTo(1, 12);
    const beside = column(alike, 9);
    expect(beside.subarray(0, 10).reduce((a, b) => a + b)).toBeCloseTo(1, 12);
  });
});
