import { expect, test } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { finish } from '../../../../packages/numerics/steps.ts';
import { eachProbabilities } from '../../../../packages/numerics/trees/walkTrees.ts';
import { fitLabelModels } from '../../../../packages/synthesis/models/categorical/labelModel.ts';
import type { LabelModel } from '../../../../packages/synthesis/models/categorical/treesOrAssociation.ts';

const random = createStream(2, 'label model');

/** Rows of numbers, and a class that is 1 where the first two have one sign, but for a fifth. */
function rowsOf(n: number) {
  const columns = Array.from({ length: 4 }, () => Float64Array.from({ length: n }, random.normal));
  const isLike = (row: number): boolean => columns[0]![row]! * columns[1]![row]! > 0 !== random.uniform() < 0.2;
  return {
    features: { rows: n, features: columns.map((values) => ({ kind: 'numeric' as const, values })) },
    classes: Int32Array.from({ length: n }, (_, row) => (isLike(row) ? 1 : 2)),
    kinds: 3,
  };
}

test('several fits predict rows that none saw better than one does, where rows are few enough', async () => {
  const [seen, unseen] = [rowsOf(2_000), rowsOf(4_000)];
  const run = { rounds: 200, random: createStream(1, 'run'), yieldToEventLoop: async () => {} };
  const heard: string[] = [];
  const reports = {
    first: async (done: number) => void heard.push(`${done}`),
    again: async (done: number, total: number) => void heard.push(`again ${done} of ${total}`),
  };
  const fitted = async (cells: number): Promise<LabelModel> => {
    const [model] = await fitLabelModels([{ name: 'y', cells, rows: () => seen }], run, reports);
    return model!;
  };
  const score = ({ trees }: LabelModel): number => {
    let sum = 0;
    finish(
      eachProbabilities(trees, unseen.features, (row, p) => {
        sum += Math.log(p[unseen.classes[row]!]!) / 4_000;
      }),
    );
    return sum;
  };
  const [pooled, one] = [await fitted(8_000), await fitted(1e7)];
  expect(pooled.association).toBeNull();
  expect(pooled.trees.roots.length).toBeGreaterThan(one.trees.roots.length);
  expect(score(pooled)).toBeGreaterThan(score(one));
  // The truth scores -.5004.
  expect(score(pooled)).toBeGreaterThan(-0.58);
  expect(heard).toEqual(['1', 'again 1 of 3', 'again 2 of 3', 'again 3 of 3', '1']);
});

/** Rows of four numbers, and two classes: by the signs of the first two but for a tenth, and by all four without any chance. */
function intricateRows(n: number) {
  const columns = Array.from({ length: 4 }, () => Float64Array.from({ length: n }, random.normal));
  const features = { rows: n, features: columns.map((values) => ({ kind: 'numeric' as const, values })) };
  const classesOf = (is: (x: readonly number[]) => boolean) =>
    Int32Array.from({ length: n }, (_, row) => (is(columns.map((own) => own[row]!)) ? 1 : 2));
  const plain = classesOf(([a, b]) => a! * b! < 0 !== random.uniform() < 0.1);
  const intricate = classesOf(([a, b, c, d]) => a! * b! + c! * d! > 0);
  return { plain, intricate, features };
}

test('of many labels trees have few leaves, and more where the rounds do not suffice', async () => {
  const { features, plain, intricate } = intricateRows(4_000);
  const label = (name: string, classes: Int32Array) => ({
    name,
    cells: 16_000,
    rows: () => ({ features, classes, kinds: 3 }),
  });
  const labels = [label('plain', plain), label('intricate', intricate), label('also plain', plain)];
  const run = { rounds: 100, random: createStream(3, 'run'), yieldToEventLoop: async () => {} };
  const models = await fitLabelModels(labels, run, { first: async () => {}, again: async () => {} });
  const mostLeaves = ({ trees: { roots, left } }: LabelModel): number => {
    const ends = [...roots.slice(1), left.length];
    // A tree of L leaves has 2 L - 1 nodes.
    return Math.max(...ends.map((end, tree) => (end - roots[tree]! + 1) / 2));
  };
  const [few, many, alsoFew] = models.map(mostLeaves);
  expect(many).toBeGreaterThan(16);
  for (const most of [few, alsoFew]) expect(most).toBeLessThanOrEqual(8);
});
