/** Redraws labels in turn. Threads do not change the draws, which keep row order. */
import { z } from 'zod';
import type { Steps } from '../../../numerics/steps.ts';
import { type FeatureTable, takeFeatures } from '../../../numerics/trees/features.ts';
import { eachProbabilities } from '../../../numerics/trees/walkTrees.ts';
import { TaskRunner, threadsWorth } from '../../tasks/runTasks.ts';
import { bySteps, type Task } from '../../tasks/task.ts';
import { type CategoryColumn, chunks, isTurn, type ModelColumn, type SampleTask } from '../model.ts';
import { classTreesSchema } from '../shared/boosting.ts';
import { associationSchema, int32Schema } from '../shared/savedArrays.ts';
import { associatedProbabilities } from './associated.ts';
import { drawInto, rakeClasses, weigher } from './classWeights.ts';
import { levelCounts } from './columnOrder.ts';
import { classesOf } from './features.ts';
import { featuresOfLabel, labelFeaturesSchema } from './labelFeatures.ts';

export const labelSchema = z.object({
  name: z.string(),
  levels: z.array(z.string()),
  /** By class (0: missing, k + 1: level k); `rows[0]` is 0. */
  released: z.array(z.boolean()),
  /** Replaces trees; without either, the first draw stays. */
  association: associationSchema.nullable().default(null),
  rows: int32Schema,
  ...labelFeaturesSchema.shape,
  trees: classTreesSchema,
});
export type Label = z.infer<typeof labelSchema>;

export interface LabelOrder {
  label: Pick<Label, 'released' | 'rows' | 'association' | 'trees'>;
  features: FeatureTable;
  /** Raking targets per class, or null. */
  counts: Int32Array | null;
}

/** Returns n × K weights, row-major. */
function* labelWeights({ label, features, counts }: LabelOrder): Steps<Float64Array> {
  const { released, rows, association, trees } = label;
  const weigh = weigher(rows, released);
  const kinds = released.length;
  const out = association ? associatedProbabilities(association, features) : new Float64Array(features.rows * kinds);
  if (!association) yield* eachProbabilities(trees, features, (row, p) => out.set(p, row * kinds));
  for (let from = 0; from < out.length; from += kinds) weigh(out, from);
  if (counts) rakeClasses(out, counts);
  return out;
}

export const weighLabel = {
  name: 'weighLabel',
  work: 'draws',
  cost: { seconds: { walk: 1e-8 }, fewestOrders: 2 },
  open: bySteps(labelWeights),
} satisfies Task<LabelOrder, Float64Array>;

export async function drawLabels(labels: readonly Label[], task: SampleTask): Promise<CategoryColumn[]> {
  const made = new Map<string, ModelColumn>(task.made.columns);
  const out: CategoryColumn[] = [];
  const runner = new TaskRunner(weighLabel, { threads: task.threads ?? threadsFor(labels, task.rows) });
  try {
    for (const [at, label] of labels.entries()) {
      const first = made.get(label.name);
      const before = first?.kind === 'category' ? first : null;
      const isKept = before && !label.association && label.trees.roots.length === 0;
      const own = { ...task, made: { ...task.made, columns: made } };
      const column = isKept ? before : await drawLabel(label, before, own, runner);
      made.set(label.name, column);
      out.push(column);
      if (isTurn(at, labels.length))
        await task.onProgress({ stage: 'generate', fact: 'labels_drawn', done: at + 1, total: labels.length });
    }
    return out;
  } finally {
    await runner.close();
  }
}

function threadsFor(labels: readonly Label[], rows: number): number {
  const trees = labels.reduce((sum, own) => sum + own.trees.roots.length, 0);
  return threadsWorth(weighLabel, { walk: rows * trees }, [...chunks(rows)].length);
}

async function drawLabel(
  label: Label,
  before: CategoryColumn | null,
  task: SampleTask,
  runner: TaskRunner<LabelOrder, Float64Array>,
): Promise<CategoryColumn> {
  const { name, levels } = label;
  const { yieldToEventLoop = async () => {} } = task;
  const codes = new Int32Array(task.rows).fill(-1);
  const random = task.random.child(name);
  const features = featuresOfLabel(label, task.made);
  const classes = before && classesOf(before, levels);
  const own = runner.share(weighed(label));
  const pieces = [...chunks(task.rows)].map(({ from, to }) => rowsToDraw(classes, from, to));
  const orders = pieces.map((rows) => () => ({
    label: own,
    features: takeFeatures(features, rows),
    counts: classes && task.representative ? countsOf(classes, rows, levels.length + 1) : null,
  }));
  const weights: (Float64Array | undefined)[] = [];
  let next = 0;
  await runner.run(orders, {
    yieldToEventLoop,
    take: async (reply, at) => {
      weights[at] = reply;
      for (let ready = weights[next]; ready; ready = weights[next]) {
        drawInto(codes, pieces[next]!, ready, random);
        weights[next++] = undefined;
      }
      await yieldToEventLoop();
    },
  });
  return { kind: 'category', name, codes, levels };
}

const weighed = ({ released, rows, association, trees }: Label): LabelOrder['label'] => ({
  released,
  rows,
  association,
  trees,
});

const countsOf = (classes: Int32Array, rows: Int32Array, kinds: number): Int32Array =>
  levelCounts(
    rows.map((row) => classes[row]!),
    kinds,
  );

/** Includes levels unknown to the label, but no missing cells. */
function rowsToDraw(classes: Int32Array | null, from: number, to: number): Int32Array {
  const out = new Int32Array(to - from);
  let size = 0;
  for (let row = from; row < to; row++) if (classes?.[row] !== 0) out[size++] = row;
  return out.subarray(0, size);
}
