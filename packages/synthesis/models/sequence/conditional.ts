import { z } from 'zod';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { finish } from '../../../numerics/steps.ts';
import { takeFeatures } from '../../../numerics/trees/features.ts';
import { eachProbabilities } from '../../../numerics/trees/walkTrees.ts';
import { type BoostHooks, type BoostJob, boostInThreads } from '../shared/boostInThreads.ts';
import { type BoostingTask, boostClasses, classTreesSchema } from '../shared/boosting.ts';
import { type Asked, featureSchema, featureTable, type SequenceFeature } from './features.ts';

export const conditionalSchema = z.object({ features: z.array(featureSchema), trees: classTreesSchema });
export type Conditional = z.infer<typeof conditionalSchema>;

/** More classes see fewer rows. */
const MAX_CELLS = 8e6;
const MIN_ROWS = 2000;
const ASIDE = 0.1;
const MAX_ROUNDS = 250;

export interface ConditionalTask {
  features: readonly SequenceFeature[];
  asked: Asked;
  /** Classes per row; -1 skips one. */
  classes: Int32Array;
  kinds: number;
  isOrdered: boolean;
  random: RandomStream;
}

export async function fitConditionals(tasks: readonly ConditionalTask[], hooks: BoostHooks): Promise<Conditional[]> {
  const trees = await boostInThreads(boostClasses, tasks.map(jobOf), hooks);
  return tasks.map(({ features }, at) => ({ features: [...features], trees: trees[at]! }));
}

function jobOf(task: ConditionalTask): BoostJob<BoostingTask> {
  const rows = someRows(task);
  return {
    cells: rows.length * task.features.length,
    seed: task.random.child('trees').integer(2 ** 32),
    task: () => boostingOf(task, rows),
  };
}

function boostingOf({ features, asked, classes, kinds, isOrdered, random }: ConditionalTask, rows: Int32Array) {
  const isAside = asideOf(random.child('aside'));
  const aside = rows.map((row) => isAside(asked.entities[row]!));
  const places = Int32Array.from(rows.keys());
  return {
    features: takeFeatures(featureTable(features, asked), rows),
    kinds,
    rounds: MAX_ROUNDS,
    order: isOrdered ? ('exact' as const) : ('none' as const),
    classes: rows.map((row) => classes[row]!),
    rows: places.filter((at) => aside[at] === 0),
    apart: places.filter((at) => aside[at] === 1),
  };
}

function someRows({ classes, kinds, random }: ConditionalTask): Int32Array {
  const known = Int32Array.from(classes.keys()).filter((row) => classes[row]! >= 0);
  const most = Math.max(MIN_ROWS, Math.floor(MAX_CELLS / Math.max(1, kinds)));
  if (known.length <= most) return known;
  const stream = random.child('rows');
  const share = most / known.length;
  return known.filter(() => stream.uniform() < share);
}

function asideOf(random: RandomStream): (entity: number) => number {
  const known = new Map<number, number>();
  return (entity) => {
    const own = known.get(entity) ?? Number(random.uniform() < ASIDE);
    known.set(entity, own);
    return own;
  };
}

/** `each` may change the probabilities. */
export function eachRow(
  { features, trees }: Conditional,
  asked: Asked,
  rows: Int32Array,
  each: (row: number, p: Float64Array) => void,
): void {
  if (rows.length === 0) return;
  const all = featureTable(features, asked);
  const table = rows.length === all.rows ? all : takeFeatures(all, rows);
  finish(eachProbabilities(trees, table, (i, p) => each(rows[i]!, p)));
}
