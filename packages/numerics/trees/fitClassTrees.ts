/**
 * Class probabilities by gradient boosting (Friedman, 2001): each round grows one tree for all classes on sketches of their
 * gradients, and its leaves move every class by a shrunk Newton step. Rows apart say how many rounds there are.
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
  /** Gradients a row that trees are grown on, at most. */
  sketches: number;
  /** Rounds without a better score after which it ends. */
  patience: number;
  /** How alike class k and the next one are (0 to 1), as bins of a number are; null where classes have no order. */
  alike: Float64Array | null;
}

interface Task {
  table: FeatureTable;
  binning: FeatureBins[];
  /** 0 … K - 1, one a row. */
  classes: Int32Array;
  kinds: number;
  /** Rows to fit to, and rows apart that score; where there are none of these, all rounds are kept. */
  rows: Int32Array;
  apart: Int32Array;
}

/** A class that no row has counts as this part of one. */
const SHARE_OF_ROW = 0.5;
/** A better score is one that is better by this, in nats. */
const MIN_BETTER = 1e-4;

/** Steps: a round each. */
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

/** Rows to fit to, and those apart after them: bins of their features, and their classes. */
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

// Directions in the space of classes, K by S: the gradients of all classes are seen along these alone.

/** Waves over ordered classes, at most, and how their weights fall with their number. */
const MAX_WAVES = 16;
const WAVE_DECAY = 0.5;

function sketchOf(kinds: number, sketches: number, ordered: boolean, random: RandomStream): Float32Array {
  const out = new Float32Array(kinds * sketches);
  // With one direction less than there are classes, all of a gradient is seen: it sums to 0.
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
