/**
 * Categories drawn again when the numbers are there: each from boosted probabilities given all other columns, so that what the
 * numbers say of it is kept. A draw from a conditional distribution leaves the joint one as it is (Geman and Geman, 1984).
 */
import { z } from 'zod';
import { drawRows, shuffledRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { inSteps, type Steps } from '../../../numerics/steps.ts';
import { eachProbabilities } from '../../../numerics/trees/classTrees.ts';
import { type FeatureTable, takeFeatures } from '../../../numerics/trees/features.ts';
import {
  type CategoryColumn,
  categoryColumn,
  chunks,
  type FitTask,
  type FittedModel,
  isTurn,
  type Model,
  type ModelColumn,
  type SampleTask,
} from '../model.ts';
import { boostInThreads } from '../shared/boostInThreads.ts';
import { classTreesSchema, orderedFeatures, roundsFor, saveClassTrees } from '../shared/boosting.ts';
import { int32Schema, saveArray } from '../shared/savedArrays.ts';
import { levelCounts, levelsOf } from './columnOrder.ts';
import { redistributedRows } from './drawClass.ts';
import {
  classesOf,
  drawThreshold,
  featuresOf,
  releasable,
  type SeenColumn,
  seenColumn,
  seenColumnSchema,
} from './features.ts';

const labelSchema = z.object({
  name: z.string(),
  levels: z.array(z.string()),
  /** By class (0: missing, k + 1: level k): whether it may be released, and its rows. */
  released: z.array(z.boolean()),
  rows: int32Schema,
  /** Columns that the trees split on, in the order of their features. */
  given: z.array(seenColumnSchema),
  trees: classTreesSchema,
});
type Label = z.infer<typeof labelSchema>;

const savedSchema = z.object({ labels: z.array(labelSchema) });

/** Rows from which on a label is drawn again, since fewer say no more of it than its first draw has; those that are fitted, at most. */
export const LABEL_ROWS = { least: 1_000, most: 100_000 } as const;
/** Columns that trees are given. */
const MAX_FEATURES = 40;
/** Levels of a label, at most. */
const MAX_LEVELS = 20;
/** Rounds of each, at most: a few levels need fewer than the bins of a number. */
const MAX_ROUNDS = 100;
/** Rows that say how many rounds there are. */
const HELD_OUT = 0.1;

export const boostedLabels: Model = {
  name: 'boosted probabilities of labels',
  fit: async (task) => fitted(await fitLabels(task)),
  restore: (saved) => fitted(savedSchema.parse(saved).labels),
};

/** Whether a category can be drawn again: a few levels, no cell missing, and no other column that it goes with in every row. */
export function isLabel(column: ModelColumn | undefined, others: readonly CategoryColumn[]): boolean {
  if (column?.kind !== 'category' || column.indicator || column.codes.length < LABEL_ROWS.least) return false;
  if (column.levels.length < 2 || column.levels.length > MAX_LEVELS || column.codes.includes(-1)) return false;
  return others.every((other) => other === column || !(follows(other, column) || follows(column, other)));
}

/** Whether each class of `from` has one of `to`. A column of one class follows from all, and says nothing. */
function follows(from: CategoryColumn, to: CategoryColumn): boolean {
  const known = new Int32Array(from.levels.length + 1).fill(-2);
  let first = -2;
  let isVaried = false;
  for (let row = 0; row < from.codes.length; row++) {
    const own = to.codes[row]!;
    const at = from.codes[row]! + 1;
    if (known[at] === -2) known[at] = own;
    else if (known[at] !== own) return false;
    if (first === -2) first = own;
    isVaried ||= own !== first;
  }
  return isVaried;
}

async function fitLabels(task: FitTask): Promise<Label[]> {
  const { table, columns, random } = task;
  const labels = columns.map((name) => categoryColumn(table, name));
  const rows = drawRows(table.rows, LABEL_ROWS.most, random.child('rows')).sort();
  const seen = task.given
    .slice(0, MAX_FEATURES + 1)
    .flatMap((name): SeenColumn[] => [seenColumn(table, name)].filter((one) => one !== undefined));
  const all = takeFeatures(orderedFeatures(seen, featuresOf(seen, table)), rows);
  const parts = apartOf(rows.length, random.child('apart'));
  const given = labels.map(({ name }) => seen.filter((own) => own.name !== name).slice(0, MAX_FEATURES));
  const rounds = Math.min(MAX_ROUNDS, roundsFor(table.rows, labels.length));
  const jobs = labels.map(({ name, codes, levels }, i) => ({
    cells: rows.length * given[i]!.length,
    seed: random
      .child('label')
      .child(name)
      .integer(2 ** 32),
    task: () => ({
      features: { rows: rows.length, features: given[i]!.map((own) => all.features[seen.indexOf(own)]!) },
      classes: Int32Array.from(rows, (row) => codes[row]! + 1),
      kinds: levels.length + 1,
      order: 'none' as const,
      ...parts,
      rounds,
    }),
  }));
  const fits = await boostInThreads(jobs, {
    yieldToEventLoop: task.yieldToEventLoop,
    onColumn: async (done) => {
      if (!isTurn(done - 1, labels.length)) return;
      await task.onProgress({ stage: 'fit', fact: 'labels_fitted', done, total: labels.length });
    },
  });
  return labels.map((column, i): Label => {
    const { name, levels } = column;
    const counts = levelCounts(levelsOf(column), levels.length + 1);
    const threshold = task.settings.keepRare ? 0 : drawThreshold(random.child('rare levels').child(name));
    const released = releasable(counts, threshold);
    return { name, levels: [...levels], released, rows: counts, given: given[i]!, trees: fits[i]! };
  });
}

/** Rows to grow trees from, and a tenth that says how many there are. */
function apartOf(n: number, random: RandomStream): { rows: Int32Array; apart: Int32Array } {
  const order = shuffledRows(n, random);
  const cut = Math.ceil(n * HELD_OUT);
  return { rows: order.slice(cut).sort(), apart: order.slice(0, cut).sort() };
}

const fitted = (labels: readonly Label[]): FittedModel => ({
  sample: (task) => drawLabels(labels, task),
  save: () => ({
    labels: labels.map(({ trees, given, rows, ...label }) => ({
      ...label,
      rows: saveArray(rows),
      given: given.map((own) => ({ ...own })),
      trees: saveClassTrees(trees),
    })),
  }),
  suppressed: () =>
    new Map(labels.map(({ name, levels, released }) => [name, levels.filter((_, k) => !released[k + 1])])),
  diagnostics: () => ({
    labels: labels.map(({ name, given, trees }) => ({
      name,
      given: given.map((own) => own.name),
      trees: trees.roots.length,
    })),
  }),
});

/** One after the other: each is given those that were drawn again before it. One that nothing says anything of stays as it is. */
async function drawLabels(labels: readonly Label[], task: SampleTask): Promise<CategoryColumn[]> {
  const made = new Map<string, ModelColumn>(task.made.columns);
  const out: CategoryColumn[] = [];
  for (const [at, label] of labels.entries()) {
    const first = made.get(label.name);
    const before = first?.kind === 'category' ? first : null;
    const isKept = before && label.trees.roots.length === 0;
    const column = isKept ? before : await drawLabel(label, before, { ...task, made: { ...task.made, columns: made } });
    made.set(label.name, column);
    out.push(column);
    if (isTurn(at, labels.length))
      await task.onProgress({ stage: 'generate', fact: 'labels_drawn', done: at + 1, total: labels.length });
  }
  return out;
}

async function drawLabel(label: Label, before: CategoryColumn | null, task: SampleTask): Promise<CategoryColumn> {
  const { name, levels, given } = label;
  const { yieldToEventLoop = async () => {} } = task;
  const codes = new Int32Array(task.rows);
  const random = task.random.child(name);
  const features = orderedFeatures(given, featuresOf(given, task.made));
  const classes = task.representative && before ? classesOf(before, levels) : null;
  for (const { from, to } of chunks(task.rows)) {
    const weights = await inSteps(weightsOf(label, rowsBetween(features, from, to)), yieldToEventLoop);
    if (classes) rakeClasses(weights, levelCounts(classes.subarray(from, to), levels.length + 1));
    await yieldToEventLoop();
    drawInto(codes.subarray(from, to), weights, random);
  }
  return { kind: 'category', name, codes, levels };
}

const rowsBetween = (table: FeatureTable, from: number, to: number): FeatureTable =>
  takeFeatures(
    table,
    Int32Array.from({ length: to - from }, (_, i) => from + i),
  );

/** Of the classes of each row, row after row. */
function* weightsOf({ released, rows, trees }: Label, features: FeatureTable): Steps<Float64Array> {
  const weigh = weigher(rows, released);
  const out = new Float64Array(features.rows * released.length);
  yield* eachProbabilities(trees, features, (row, p, at) => {
    out.set(weigh(p.subarray(at, at + released.length)), row * released.length);
  });
  return out;
}

/** Rounds of raking: a few bring the sums within a row of the counts. */
const RAKINGS = 10;

/** Brings the sums of each class over all rows to the counts of a first draw, which has them from the data (Deming and Stephan, 1940). */
export function rakeClasses(weights: Float64Array, counts: Int32Array): void {
  const kinds = counts.length;
  for (let time = 0; time < RAKINGS; time++) {
    const sums = new Float64Array(kinds);
    for (let at = 0; at < weights.length; at++) sums[at % kinds]! += weights[at]!;
    const factors = sums.map((sum, one) => (sum > 0 ? counts[one]! / sum : 0));
    for (let from = 0; from < weights.length; from += kinds) {
      let all = 0;
      for (let k = 0; k < kinds; k++) all += weights[from + k]! * factors[k]!;
      if (all > 0) for (let k = 0; k < kinds; k++) weights[from + k]! *= factors[k]! / all;
    }
  }
}

function drawInto(codes: Int32Array, weights: Float64Array, random: RandomStream): void {
  const kinds = weights.length / codes.length;
  for (let row = 0; row < codes.length; row++) {
    const own = weights.subarray(row * kinds, (row + 1) * kinds);
    let left = random.uniform() * own.reduce((sum, weight) => sum + weight, 0);
    let one = -1;
    for (let k = 0; k < kinds && left >= 0; k++) {
      if (own[k] === 0) continue;
      one = k;
      left -= own[k]!;
    }
    codes[row] = one - 1;
  }
}

/**
 * Probabilities of the classes that occur and may be released: those of suppressed levels go to the rarest of them, as in a first
 * draw.
 */
function weigher(rows: Int32Array, released: readonly boolean[]): (p: Float64Array) => Float64Array {
  const lifts = redistributedRows(rows, released);
  const mayStand = released.map((may, one) => may && rows[one]! > 0);
  return (p) => {
    const shown = p.map((own, one) => (mayStand[one] ? own : 0));
    const suppressed = p.reduce((sum, own, one) => sum + (released[one] ? 0 : own), 0);
    if (suppressed === 0) return shown;
    const lifted = shown.map((own, one) => (lifts[one]! > 0 ? (own * lifts[one]!) / rows[one]! : 0));
    const all = lifted.reduce((sum, own) => sum + own, 0);
    return all > 0 ? shown.map((own, one) => own + (suppressed * lifted[one]!) / all) : shown;
  };
}
