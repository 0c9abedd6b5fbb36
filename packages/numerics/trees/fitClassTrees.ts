/**
 * Gradient boosting of class probabilities (Friedman 2001) with one tree per round. Held-out rows select the number of
 * rounds.
 */
import type { RandomStream } from '../random/stream.ts';
import type { Steps } from '../steps.ts';
import { ClassProbabilities } from './classProbabilities.ts';
import { type ClassTrees, TreeWriter } from './classTrees.ts';
import { applyBinning, type FeatureBins, type FeatureTable, takeFeatures, valueBins } from './features.ts';
import { type ClassGrowSettings, ClassTreeGrower, leafAt } from './growClassTree.ts';

export interface ClassBoosting extends ClassGrowSettings {
  rounds: number;
  learningRate: number;
  sketches: number;
  /** Rounds without improvement before stopping. */
  patience: number;
  /** Similarity of class k to the next (0 to 1); null for unordered classes. */
  alike: Float64Array | null;
}

interface Task {
  table: FeatureTable;
  binning: FeatureBins[];
  classes: Int32Array;
  kinds: number;
  /** Without held-out rows, all rounds are kept. */
  rows: Int32Array;
  apart: Int32Array;
}

const SHARE_OF_ROW = 0.5;
/** Minimum improvement in nats. */
const MIN_BETTER = 1e-4;

/** Yields after each round. */
export function* fitClassTrees(task: Task, settings: ClassBoosting, random: RandomStream): Steps<ClassTrees> {
  const { binning, kinds, rows } = task;
  const { columns, classes } = takeRows(task);
  const bins = binning.map((own) => valueBins(own) + 1);
  const isLevel = binning.map((own) => own.kind === 'category');
  const sketches = Math.max(1, Math.min(settings.sketches, kinds - 1));
  const base = sharesOf(classes.subarray(0, rows.length), kinds);
  const state = new ClassProbabilities({ classes, kinds, base, fitted: rows.length }, { ...settings, sketches });
  const grower = new ClassTreeGrower({ columns, bins, isLevel }, state.order, sketches, settings);
  const inOrder = Uint32Array.from(rows.keys());
  const written = new TreeWriter(kinds);
  let best = { score: state.score(), rounds: 0 };
  for (let round = 1; round <= settings.rounds && kinds > 1; round++) {
    const gradients = state.look(sketchOf(kinds, sketches, settings.alike !== null, random));
    state.order.set(inOrder);
    const nodes = grower.grow(gradients, rows.length);
    if (nodes.length === 1) break;
    written.add(nodes, state.step(nodes));
    state.moveApart((row) => leafAt(nodes, columns, row));
    const score = state.score();
    if (classes.length === rows.length || score > best.score + MIN_BETTER) best = { score, rounds: round };
    else if (round - best.rounds >= settings.patience) break;
    yield;
  }
  return written.trees(binning, base.map(Math.log), best.rounds);
}

function takeRows({ table, binning, classes, rows, apart }: Task): { columns: Uint8Array[]; classes: Int32Array } {
  const all = new Int32Array(rows.length + apart.length);
  all.set(rows);
  all.set(apart, rows.length);
  return { columns: applyBinning(binning, takeFeatures(table, all)), classes: all.map((row) => classes[row]!) };
}

function sharesOf(classes: Int32Array, kinds: number): Float64Array {
  const counts = new Float64Array(kinds).fill(SHARE_OF_ROW);
  for (const one of classes) counts[one]!++;
  return counts.map((count) => count / (classes.length + SHARE_OF_ROW * kinds));
}

/** Maximum waves over ordered classes, and their decay. */
const MAX_WAVES = 16;
const WAVE_DECAY = 0.5;

function sketchOf(kinds: number, sketches: number, ordered: boolean, random: RandomStream): Float32Array {
  const out = new Float32Array(kinds * sketches);
  // K - 1 directions determine a gradient, since it sums to 0.
  if (kinds - 1 <= sketches) {
    for (let s = 0; s < sketches; s++) out[s * sketches + s] = 1;
    return out;
  }
  for (let s = 0; s < sketches; s++) {
    const direction = ordered ? waves(kinds, random) : Float64Array.from({ length: kinds }, () => random.normal());
    const length = Math.sqrt(direction.reduce((sum, value) => sum + value * value, 0) / kinds);
    for (let k = 0; k < kinds; k++) out[k * sketches + s] = direction[k]! / length;
  }
  return out;
}

function waves(kinds: number, random: RandomStream): Float64Array {
  const out = new Float64Array(kinds);
  for (let wave = 1; wave <= Math.min(kinds - 1, MAX_WAVES); wave++) {
    const weight = random.normal() * wave ** -WAVE_DECAY;
    for (let k = 0; k < kinds; k++) out[k]! += weight * Math.cos((Math.PI * wave * (k + 0.5)) / kinds);
  }
  return out;
}
