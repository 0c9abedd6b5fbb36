/**
 * Categories drawn again when the numbers are there: one after the other, each from boosted probabilities given the numbers, the
 * labels before it and what is drawn only once, so that the joint distribution is the product of these. Missing cells stay where
 * the first draw has them.
 */
import { z } from 'zod';
import { drawRows } from '../../../numerics/random/draws.ts';
import { inSteps, type Steps } from '../../../numerics/steps.ts';
import type { ClassTrees } from '../../../numerics/trees/classTrees.ts';
import { type FeatureTable, takeFeatures } from '../../../numerics/trees/features.ts';
import { eachProbabilities } from '../../../numerics/trees/walkTrees.ts';
import {
  type CategoryColumn,
  categoryColumn,
  chunks,
  type FitTask,
  type FittedModel,
  isTurn,
  type Model,
  type ModelColumn,
  type ModelTable,
  type SampleTask,
} from '../model.ts';
import { classTreesSchema, roundsFor, saveClassTrees } from '../shared/boosting.ts';
import { associationSchema, int32Schema, saveArray, saveAssociation } from '../shared/savedArrays.ts';
import { associatedProbabilities } from './associated.ts';
import { drawInto, rakeClasses, weigher } from './classWeights.ts';
import { levelCounts, levelsOf } from './columnOrder.ts';
import { classesOf, drawThreshold, releasable, type SeenColumn, seenColumn } from './features.ts';
import { chooseGiven, featuresOfLabel, type LabelFeatures, labelFeaturesSchema } from './labelFeatures.ts';
import { fitLabelModels, type LabelRows } from './labelModel.ts';

const labelSchema = z.object({
  name: z.string(),
  levels: z.array(z.string()),
  /** By class (0: missing, k + 1: level k): whether it may be released, and its rows; none of class 0. */
  released: z.array(z.boolean()),
  rows: int32Schema,
  ...labelFeaturesSchema.shape,
  /** What it is drawn by: its associations, else trees; where it has neither it stays as it is. */
  association: associationSchema.nullable().default(null),
  trees: classTreesSchema,
});
type Label = z.infer<typeof labelSchema>;

const savedSchema = z.object({ labels: z.array(labelSchema) });

/** Rows from which on a label is drawn again, since fewer say no more of it than its first draw has; those that are fitted, at most. */
export const LABEL_ROWS = { least: 1_000, most: 100_000 } as const;
/** Levels of a label, at most. */
const MAX_LEVELS = 20;
/** Rounds of each, at most: a few levels need fewer than the bins of a number. */
const MAX_ROUNDS = 200;

export const redrawnLabels: Model = {
  name: 'boosted probabilities and associations of labels',
  formerly: ['boosted probabilities of labels'],
  fit: async (task) => fitted(await fitLabels(task)),
  restore: (saved) => fitted(savedSchema.parse(saved).labels),
};

/** Whether a category can be drawn again: a few levels, and no other column that it goes with in every row. */
export function isLabel(column: ModelColumn | undefined, others: readonly CategoryColumn[]): boolean {
  if (column?.kind !== 'category' || column.indicator) return false;
  if (column.levels.length < 2 || column.levels.length > MAX_LEVELS) return false;
  if (column.codes.reduce((sum, code) => sum + Number(code >= 0), 0) < LABEL_ROWS.least) return false;
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
  const rows = drawRows(table.rows, LABEL_ROWS.most, random.child('rows')).sort();
  const rounds = Math.min(MAX_ROUNDS, roundsFor(table.rows, columns.length));
  const own = columns.map((name) => ({ name, ...seenBy(task, name) }));
  const models = await fitLabelModels(
    own.map((label) => ({
      name: label.name,
      cells: rows.length * (label.given.length + label.gaps.length),
      rows: () => labelRows(table, label, rows),
    })),
    { rounds, random, yieldToEventLoop: task.yieldToEventLoop },
    async (done) => {
      if (!isTurn(done - 1, columns.length)) return;
      await task.onProgress({ stage: 'fit', fact: 'labels_fitted', done, total: columns.length });
    },
  );
  return own.map((label, i) => ({ ...releasedOf(task, label.name), ...label, ...models[i]! }));
}

type SeenLabel = LabelFeatures & { name: string };

function labelRows(table: ModelTable, label: SeenLabel, rows: Int32Array): LabelRows {
  const { codes, levels } = categoryColumn(table, label.name);
  return {
    features: takeFeatures(featuresOfLabel(label, table), rows),
    classes: rows.map((row) => codes[row]! + 1),
    kinds: levels.length + 1,
  };
}

/** What was there before the labels, the labels before this one, and the gaps of those after it. */
function seenBy({ table, columns, given }: FitTask, name: string): LabelFeatures {
  const column = categoryColumn(table, name);
  const later = columns.slice(columns.indexOf(name));
  const before = given.filter((other) => !later.includes(other));
  const seen = before.flatMap((other): SeenColumn[] => [seenColumn(table, other)].filter((one) => one !== undefined));
  return {
    given: chooseGiven(
      seen,
      column.codes.map((code) => code + 1),
      table,
    ),
    gaps: later.slice(1).filter((other) => categoryColumn(table, other).codes.includes(-1)),
  };
}

function releasedOf({ table, settings, random }: FitTask, name: string) {
  const column = categoryColumn(table, name);
  const counts = levelCounts(levelsOf(column), column.levels.length + 1);
  const threshold = settings.keepRare ? 0 : drawThreshold(random.child('rare levels').child(name));
  const released = releasable(counts, threshold);
  return { name, levels: [...column.levels], released, rows: counts.with(0, 0) };
}

/** Of the classes of each row, row after row. */
function* probabilitiesOf(trees: ClassTrees, features: FeatureTable): Steps<Float64Array> {
  const out = new Float64Array(features.rows * trees.classes);
  yield* eachProbabilities(trees, features, (row, p) => {
    out.set(p, row * trees.classes);
  });
  return out;
}

const fitted = (labels: readonly Label[]): FittedModel => ({
  sample: (task) => drawLabels(labels, task),
  save: () => ({
    labels: labels.map(({ association, trees, given, gaps, rows, ...label }) => ({
      ...label,
      association: association && saveAssociation(association),
      rows: saveArray(rows),
      given: given.map((own) => ({ ...own })),
      gaps: [...gaps],
      trees: saveClassTrees(trees),
    })),
  }),
  suppressed: () =>
    new Map(labels.map(({ name, levels, released }) => [name, levels.filter((_, k) => !released[k + 1])])),
  diagnostics: () => ({
    labels: labels.map(({ name, given, association, trees }) => ({
      name,
      given: given.map((own) => own.name),
      trees: trees.roots.length,
      ...(association && { associations: association.terms.length }),
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
    const isKept = before && !label.association && label.trees.roots.length === 0;
    const column = isKept ? before : await drawLabel(label, before, { ...task, made: { ...task.made, columns: made } });
    made.set(label.name, column);
    out.push(column);
    if (isTurn(at, labels.length))
      await task.onProgress({ stage: 'generate', fact: 'labels_drawn', done: at + 1, total: labels.length });
  }
  return out;
}

async function drawLabel(label: Label, before: CategoryColumn | null, task: SampleTask): Promise<CategoryColumn> {
  const { name, levels } = label;
  const { yieldToEventLoop = async () => {} } = task;
  const codes = new Int32Array(task.rows).fill(-1);
  const random = task.random.child(name);
  const features = featuresOfLabel(label, task.made);
  const classes = before && classesOf(before, levels);
  for (const { from, to } of chunks(task.rows)) {
    const rows = rowsToDraw(classes, from, to);
    const weights = await inSteps(weightsOf(label, takeFeatures(features, rows)), yieldToEventLoop);
    if (classes && task.representative) {
      const own = rows.map((row) => classes[row]!);
      rakeClasses(weights, levelCounts(own, levels.length + 1));
    }
    await yieldToEventLoop();
    drawInto(codes, rows, weights, random);
  }
  return { kind: 'category', name, codes, levels };
}

/**
 * From one to before another, those whose cell is not missing: a level that is none of the label's is drawn, too. All where there are
 * no classes.
 */
function rowsToDraw(classes: Int32Array | null, from: number, to: number): Int32Array {
  const out = new Int32Array(to - from);
  let size = 0;
  for (let row = from; row < to; row++) if (classes?.[row] !== 0) out[size++] = row;
  return out.subarray(0, size);
}

/** Of the classes of each row, row after row. */
function* weightsOf(label: Label, features: FeatureTable): Steps<Float64Array> {
  const { released, rows, association, trees } = label;
  const weigh = weigher(rows, released);
  const kinds = released.length;
  const out = association ? associatedProbabilities(association, features) : yield* probabilitiesOf(trees, features);
  for (let from = 0; from < out.length; from += kinds) weigh(out, from);
  return out;
}
