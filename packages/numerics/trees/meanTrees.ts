/** Gradient boosting of a mean (Friedman 2001), stored as class trees with one value per leaf. n rows. */
import type { Steps } from '../steps.ts';
import { type ClassTrees, TreeWriter } from './classTrees.ts';
import { applyBinning, type FeatureBins, type FeatureTable, valueBins } from './features.ts';
import { type ClassGrowSettings, ClassTreeGrower, type GrownNode, leafAt } from './growClassTree.ts';

export interface MeanBoosting extends ClassGrowSettings {
  rounds: number;
  learningRate: number;
  /** Rounds without improvement before stopping. */
  patience: number;
}

export interface MeanTask {
  table: FeatureTable;
  binning: FeatureBins[];
  target: Float64Array;
  /** Without held-out rows, all rounds are kept. */
  rows: Int32Array;
  apart: Int32Array;
}

/** Minimum relative improvement. */
const MIN_BETTER = 1e-4;

/** Yields after each round. Throws a RangeError without fitted rows. */
export function* fitMeanTrees(task: MeanTask, settings: MeanBoosting): Steps<ClassTrees> {
  const { table, binning, target, rows, apart } = task;
  if (rows.length === 0) throw new RangeError('no rows to fit a mean to');
  const columns = applyBinning(binning, table);
  const bins = binning.map((own) => valueBins(own) + 1);
  const isLevel = binning.map((own) => own.kind === 'category');
  const grower = new ClassTreeGrower({ columns, bins, isLevel }, new Uint32Array(rows.length), 1, settings);
  const base = rows.reduce((sum, row) => sum + target[row]!, 0) / rows.length;
  const found = new Float64Array(table.rows).fill(base);
  const gradients = new Float32Array(table.rows);
  const written = new TreeWriter(1);
  const errorApart = (): number => apart.reduce((sum, row) => sum + (found[row]! - target[row]!) ** 2, 0);
  let best = { error: errorApart(), rounds: 0 };
  for (let round = 1; round <= settings.rounds; round++) {
    for (const row of rows) gradients[row] = found[row]! - target[row]!;
    grower.order.set(rows);
    const nodes = grower.grow(gradients, rows.length);
    if (nodes.length === 1) break;
    const values = nodes.map((node) => (node.split ? null : stepOf(node, grower.order, gradients, settings)));
    nodes.forEach(({ start, end }, at) => {
      const own = values[at];
      if (own) for (let i = start; i < end; i++) found[grower.order[i]!]! += own[0]!;
    });
    for (const row of apart) found[row]! += values[leafAt(nodes, columns, row)]![0]!;
    written.add(nodes, values);
    const error = errorApart();
    if (apart.length === 0 || error < best.error * (1 - MIN_BETTER)) best = { error, rounds: round };
    else if (round - best.rounds >= settings.patience) break;
    yield;
  }
  return written.trees(binning, Float64Array.of(base), best.rounds);
}

function stepOf(
  { start, end }: GrownNode,
  order: Uint32Array,
  gradients: Float32Array,
  { learningRate, shrinkageRows }: MeanBoosting,
): Float32Array {
  let sum = 0;
  for (let i = start; i < end; i++) sum += gradients[order[i]!]!;
  return Float32Array.of((-learningRate * sum) / (end - start + shrinkageRows));
}
