/**
 * Redraws categories from boosted probabilities given the numbers, earlier labels and columns drawn once; the joint
 * distribution is their product. Missing cells stay.
 */
import { z } from 'zod';
import { drawRows } from '../../../numerics/random/draws.ts';
import { takeFeatures } from '../../../numerics/trees/features.ts';
import { drawThreshold, releasable } from '../../disclosure/thresholds.ts';
import {
  type CategoryColumn,
  categoryColumn,
  type FitTask,
  type FittedModel,
  isTurn,
  type Model,
  type ModelColumn,
  type ModelTable,
} from '../model.ts';
import { roundsFor } from '../shared/boosting.ts';
import { levelCounts, levelsOf } from './columnOrder.ts';
import { drawLabels, type Label, labelSchema } from './drawLabels.ts';
import { type SeenColumn, seenColumn } from './features.ts';
import { chooseGiven, featuresOfLabel, type LabelFeatures } from './labelFeatures.ts';
import { fitLabelModels, type LabelRows } from './labelModel.ts';

const savedSchema = z.object({ labels: z.array(labelSchema) });

/** Fewer rows add nothing to the first draw; more are sampled. */
export const LABEL_ROWS = { least: 1_000, most: 100_000 } as const;
const MAX_LEVELS = 20;
/** A few levels need fewer rounds than bins of a number. */
const MAX_ROUNDS = 200;

export const redrawnLabels: Model = {
  name: 'boosted probabilities and associations of labels',
  formerly: ['boosted probabilities of labels'],
  fit: async (task) => fitted(await fitLabels(task)),
  restore: (saved) => fitted(savedSchema.parse(saved).labels),
};

/** Requires few levels and no functional dependency with another category. */
export function isLabel(column: ModelColumn | undefined, others: readonly CategoryColumn[]): boolean {
  if (column?.kind !== 'category' || column.indicator) return false;
  if (column.levels.length < 2 || column.levels.length > MAX_LEVELS) return false;
  if (column.codes.reduce((sum, code) => sum + Number(code >= 0), 0) < LABEL_ROWS.least) return false;
  return others.every((other) => other === column || !(follows(other, column) || follows(column, other)));
}

/** A constant column depends on nothing. */
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
    {
      first: (done) => reportOf(task, 'labels_fitted', done, columns.length),
      again: (done, total) => reportOf(task, 'labels_repeated', done, total),
    },
  );
  return own.map((label, i) => ({ ...releasedOf(task, label.name), ...label, ...models[i]! }));
}

async function reportOf(
  { onProgress, yieldToEventLoop }: FitTask,
  fact: 'labels_fitted' | 'labels_repeated',
  done: number,
  total: number,
): Promise<void> {
  await (isTurn(done - 1, total) ? onProgress({ stage: 'fit', fact, done, total }) : yieldToEventLoop());
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

const fitted = (labels: readonly Label[]): FittedModel => ({
  sample: (task) => drawLabels(labels, task),
  save: () => savedSchema.encode({ labels: [...labels] }),
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
