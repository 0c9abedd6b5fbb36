/**
 * Gradient boosting of a conditional distribution over K classes by the cross-entropy: each tree has one structure for all
 * classes, found on a few random projections of their gradients (Iosipoi and Vakhrushev, 2022), and a vector of Newton
 * steps in each leaf. Trees are added until rows set aside are predicted no better. n = rows.
 */
import type { RandomStream } from '../random/stream.ts';
import type { Steps } from '../steps.ts';
import { classScores } from './classificationTree.ts';
import { applyBinning, binFeature, type FeatureBins, type FeatureTable, valueBins } from './features.ts';
import { partitionRows } from './growTree.ts';
import { addNode, emptyTree, leafNode, numberLeaves, type Tree } from './tree.ts';

export interface ClassBoosting {
  /** Trees, at most. */
  rounds: number;
  rate: number;
  maxLeaves: number;
  minLeafRows: number;
  /** Ridge penalty on the steps, in rows. */
  l2: number;
  /** Shares of the rows and of the features that each tree sees. */
  rowShare: number;
  featureShare: number;
  maxBins: number;
  /** Rounds without a gain on the rows set aside, after which no tree is added. */
  patience: number;
  /** Classes 0 … K-1 lie in this order: projections are smooth in it. */
  isOrdered: boolean;
}

const DEFAULTS: Readonly<ClassBoosting> = {
  ...{ rounds: 140, rate: 0.3, maxLeaves: 48, minLeafRows: 20, l2: 2, rowShare: 0.7, featureShare: 0.6 },
  ...{ maxBins: 64, patience: 6, isOrdered: false },
};

export interface BoostedClasses {
  kinds: number;
  binning: FeatureBins[];
  /** Log-odds before the first tree, K. */
  prior: Float32Array;
  trees: { tree: Tree; steps: Float32Array }[];
}

interface Fit {
  columns: Uint8Array[];
  missing: number[];
  classes: Int32Array;
  kinds: number;
  settings: ClassBoosting;
}

/**
 * Fits the boosted classes of n rows. Steps: a tree each.
 * @param classes n numbers from 0 to K - 1 (`kinds`).
 * @param aside 1 for rows that say when to stop; the others grow the trees. None: all rounds are made.
 */
export function* fitBoostedClasses(
  table: FeatureTable,
  target: { classes: Int32Array; kinds: number; aside: Uint8Array },
  random: RandomStream,
  settings: Partial<ClassBoosting> = {},
): Steps<BoostedClasses> {
  const { classes, kinds, aside } = target;
  if (classes.length !== table.rows) throw new RangeError(`${classes.length} classes for ${table.rows} rows`);
  const chosen = { ...DEFAULTS, ...settings };
  const binning = table.features.map((feature) =>
    binFeature(feature, feature.kind === 'category' ? scoresOf(feature, classes, kinds) : NO_TARGET, chosen.maxBins),
  );
  const fit: Fit = {
    ...{ columns: applyBinning(binning, table), missing: binning.map(valueBins), classes, kinds, settings: chosen },
  };
  const grown = rowsWhere(aside, 0);
  const held = rowsWhere(aside, 1);
  const prior = priorOf(classes, grown, kinds);
  const model: BoostedClasses = { kinds, binning, prior, trees: [] };
  if (grown.length < 2 * chosen.minLeafRows || kinds < 2) return model;
  const logits = new Float32Array(table.rows * kinds);
  for (let row = 0; row < table.rows; row++) logits.set(prior, row * kinds);
  const probabilities = new Float32Array(logits.length);
  let best = { loss: softmax(logits, probabilities, fit, held), trees: 0 };
  while (model.trees.length < chosen.rounds) {
    const seen = shareOf(grown, chosen.rowShare, random);
    const tree = growOn(fit, seen, projections(fit, seen, probabilities, random), random);
    if (tree.tree.leaves < 2) break;
    const steps = stepsOf(tree, fit, probabilities);
    model.trees.push({ tree: tree.tree, steps });
    for (let row = 0; row < table.rows; row++) {
      const from = tree.tree.leaf[leafNode(tree.tree, fit.columns, fit.missing, row)]! * kinds;
      const at = row * kinds;
      for (let k = 0; k < kinds; k++) logits[at + k]! += steps[from + k]!;
    }
    const loss = softmax(logits, probabilities, fit, held);
    if (held.length > 0 && loss < best.loss - 1e-5) best = { loss, trees: model.trees.length };
    if (held.length > 0 && model.trees.length - best.trees >= chosen.patience) break;
    yield;
  }
  return held.length > 0 ? { ...model, trees: model.trees.slice(0, best.trees) } : model;
}

const NO_TARGET = new Float64Array(0);

function scoresOf(feature: Parameters<typeof classScores>[0], classes: Int32Array, kinds: number): Float64Array {
  const scores = classScores(feature, classes, kinds);
  return Float64Array.from(classes, (one) => scores[one]!);
}

function rowsWhere(flags: Uint8Array, value: number): Int32Array {
  const rows: number[] = [];
  flags.forEach((flag, row) => {
    if (flag === value) rows.push(row);
  });
  return Int32Array.from(rows);
}

function priorOf(classes: Int32Array, rows: Int32Array, kinds: number): Float32Array {
  const counts = new Float64Array(kinds);
  for (const row of rows) counts[classes[row]!]!++;
  return Float32Array.from(counts, (count) => Math.log((count + 0.1) / (rows.length + 0.1 * kinds)));
}

function shareOf(rows: Int32Array, share: number, random: RandomStream): Uint32Array {
  const kept = new Uint32Array(rows.length);
  let count = 0;
  for (const row of rows) if (random.uniform() < share) kept[count++] = row;
  return kept.slice(0, count);
}

/** Probabilities of all rows; the mean surprise of the held ones. */
function softmax(logits: Float32Array, out: Float32Array, { classes, kinds }: Fit, held: Int32Array): number {
  const rows = classes.length;
  for (let row = 0, at = 0; row < rows; row++, at += kinds) {
    let most = logits[at]!;
    for (let k = 1; k < kinds; k++) if (logits[at + k]! > most) most = logits[at + k]!;
    let sum = 0;
    for (let k = 0; k < kinds; k++) {
      const own = Math.exp(logits[at + k]! - most);
      out[at + k] = own;
      sum += own;
    }
    for (let k = 0; k < kinds; k++) out[at + k]! /= sum;
  }
  let loss = 0;
  for (const row of held) loss -= Math.log(Math.max(1e-12, out[row * kinds + classes[row]!]!));
  return loss / Math.max(1, held.length);
}

/** Gradients, by row, along two random directions of the classes. */
function projections(
  { classes, kinds, settings }: Fit,
  seen: Uint32Array,
  probabilities: Float32Array,
  random: RandomStream,
): [Float64Array, Float64Array] {
  const first = direction(kinds, settings.isOrdered, random);
  const second = direction(kinds, settings.isOrdered, random);
  const out: [Float64Array, Float64Array] = [new Float64Array(classes.length), new Float64Array(classes.length)];
  for (const row of seen) {
    const at = row * kinds;
    let [a, b] = [-first[classes[row]!]!, -second[classes[row]!]!];
    for (let k = 0; k < kinds; k++) {
      a += probabilities[at + k]! * first[k]!;
      b += probabilities[at + k]! * second[k]!;
    }
    out[0][row] = a;
    out[1][row] = b;
  }
  return out;
}

/** Independent normals; of ordered classes every second direction is a random walk. */
function direction(kinds: number, isOrdered: boolean, random: RandomStream): Float64Array {
  const weights = Float64Array.from({ length: kinds }, () => random.normal());
  if (isOrdered && random.uniform() < 0.6) {
    const scale = 2 / Math.sqrt(kinds);
    for (let k = 1; k < kinds; k++) weights[k] = weights[k - 1]! + scale * weights[k]!;
  }
  return weights;
}

interface Grown {
  tree: Tree;
  order: Uint32Array;
  /** By leaf, its rows in `order`. */
  spans: { start: number; end: number }[];
}

interface Open {
  node: number;
  start: number;
  end: number;
  histogram: Float64Array;
  split: { feature: number; bin: number; gain: number } | null;
}

/** Leaf by leaf, the split of the greatest gain first. */
function growOn(
  { columns, missing, settings }: Fit,
  order: Uint32Array,
  [first, second]: [Float64Array, Float64Array],
  random: RandomStream,
): Grown {
  const features = featuresSeen(columns.length, settings.featureShare, random);
  const offsets = [0];
  for (const feature of features) offsets.push(offsets.at(-1)! + 3 * (missing[feature]! + 1));
  const spare = new Uint32Array(order.length);
  const fill = (start: number, end: number): Float64Array => {
    const histogram = new Float64Array(offsets.at(-1)!);
    features.forEach((feature, at) => {
      const column = columns[feature]!;
      const offset = offsets[at]!;
      for (let i = start; i < end; i++) {
        const row = order[i]!;
        const bin = offset + 3 * column[row]!;
        histogram[bin]! += first[row]!;
        histogram[bin + 1]! += second[row]!;
        histogram[bin + 2]!++;
      }
    });
    return histogram;
  };
  const search = (histogram: Float64Array): Open['split'] => bestSplit(histogram, offsets, features, settings);
  const tree = emptyTree();
  const whole = fill(0, order.length);
  const open: Open[] = [{ node: addNode(tree), start: 0, end: order.length, histogram: whole, split: search(whole) }];
  const spans = new Map<number, { start: number; end: number }>([[0, { start: 0, end: order.length }]]);
  for (let leaves = 1; leaves < settings.maxLeaves; leaves++) {
    const at = mostGaining(open);
    if (at < 0) break;
    const leaf = open[at]!;
    const split = leaf.split!;
    const side = { ...split, missingLeft: false, left: { gradient: 0, hessian: 0, rows: 0 } };
    const column = columns[split.feature]!;
    const middle = partitionRows(order, spare, leaf.start, leaf.end, column, missing[split.feature]!, side);
    tree.feature[leaf.node] = split.feature;
    tree.bin[leaf.node] = split.bin;
    const [left, right] = [addNode(tree), addNode(tree)];
    tree.left[leaf.node] = left;
    tree.right[leaf.node] = right;
    spans.delete(leaf.node);
    spans.set(left, { start: leaf.start, end: middle });
    spans.set(right, { start: middle, end: leaf.end });
    const isLeftSmaller = middle - leaf.start <= leaf.end - middle;
    const small = isLeftSmaller ? fill(leaf.start, middle) : fill(middle, leaf.end);
    const large = leaf.histogram;
    for (let i = 0; i < large.length; i++) large[i]! -= small[i]!;
    const [ofLeft, ofRight] = isLeftSmaller ? [small, large] : [large, small];
    open.splice(at, 1);
    open.push({ node: left, start: leaf.start, end: middle, histogram: ofLeft, split: search(ofLeft) });
    open.push({ node: right, start: middle, end: leaf.end, histogram: ofRight, split: search(ofRight) });
  }
  numberLeaves(tree);
  const ofLeaf: Grown['spans'] = [];
  for (const [node, span] of spans) ofLeaf[tree.leaf[node]!] = span;
  return { tree, order, spans: ofLeaf };
}

function featuresSeen(count: number, share: number, random: RandomStream): number[] {
  const seen = Array.from({ length: count }, (_, feature) => feature).filter(() => random.uniform() < share);
  return seen.length > 0 || count === 0 ? seen : [random.integer(count)];
}

function mostGaining(open: readonly Open[]): number {
  let best = -1;
  open.forEach(({ split }, at) => {
    if (split && (best < 0 || split.gain > open[best]!.split!.gain)) best = at;
  });
  return best;
}

/** Missing cells go right with the greatest bins, or stand alone there. */
function bestSplit(
  histogram: Float64Array,
  offsets: readonly number[],
  features: readonly number[],
  { minLeafRows, l2 }: ClassBoosting,
): Open['split'] {
  let best: Open['split'] = null;
  let least = 1e-9;
  for (let f = 0; f < features.length; f++) {
    const [start, end] = [offsets[f]!, offsets[f + 1]!];
    let [a, b, n] = [0, 0, 0];
    for (let i = start; i < end; i += 3) {
      a += histogram[i]!;
      b += histogram[i + 1]!;
      n += histogram[i + 2]!;
    }
    if (n < 2 * minLeafRows) return null;
    const before = (a * a + b * b) / (n + l2);
    let [leftA, leftB, leftN] = [0, 0, 0];
    for (let i = start, bin = 0; i < end - 3; i += 3, bin++) {
      if (histogram[i + 2] === 0) continue;
      leftA += histogram[i]!;
      leftB += histogram[i + 1]!;
      leftN += histogram[i + 2]!;
      if (n - leftN < minLeafRows) break;
      if (leftN < minLeafRows) continue;
      const [rightA, rightB] = [a - leftA, b - leftB];
      const gain =
        (leftA * leftA + leftB * leftB) / (leftN + l2) +
        (rightA * rightA + rightB * rightB) / (n - leftN + l2) -
        before;
      if (gain <= least) continue;
      least = gain;
      best = { feature: features[f]!, bin, gain };
    }
  }
  return best;
}

/** Newton steps of each leaf, one a class: Σ (y - p) / (Σ p (1 - p) + λ). */
function stepsOf({ tree, order, spans }: Grown, fit: Fit, probabilities: Float32Array): Float32Array {
  const { classes, kinds, settings } = fit;
  const steps = new Float32Array(tree.leaves * kinds);
  const [sums, curvatures] = [new Float64Array(kinds), new Float64Array(kinds)];
  spans.forEach(({ start, end }, leaf) => {
    sums.fill(0);
    curvatures.fill(0);
    for (let i = start; i < end; i++) {
      const row = order[i]!;
      const at = row * kinds;
      for (let k = 0; k < kinds; k++) {
        const p = probabilities[at + k]!;
        sums[k]! -= p;
        curvatures[k]! += p * (1 - p);
      }
      sums[classes[row]!]!++;
    }
    for (let k = 0; k < kinds; k++) {
      const step = (settings.rate * sums[k]!) / (curvatures[k]! + settings.l2);
      steps[leaf * kinds + k] = Math.max(-MAX_STEP, Math.min(MAX_STEP, step));
    }
  });
  return steps;
}

const MAX_STEP = 1;

/** A function that writes the probabilities of a row of the table into `out` (K). */
export function classProbabilities(
  { kinds, binning, prior, trees }: BoostedClasses,
  table: FeatureTable,
): (row: number, out: Float64Array) => void {
  const columns = applyBinning(binning, table);
  const missing = binning.map(valueBins);
  return (row, out) => {
    for (let k = 0; k < kinds; k++) out[k] = prior[k]!;
    for (const { tree, steps } of trees) {
      const from = tree.leaf[leafNode(tree, columns, missing, row)]! * kinds;
      for (let k = 0; k < kinds; k++) out[k]! += steps[from + k]!;
    }
    let most = out[0]!;
    for (let k = 1; k < kinds; k++) if (out[k]! > most) most = out[k]!;
    let sum = 0;
    for (let k = 0; k < kinds; k++) {
      out[k] = Math.exp(out[k]! - most);
      sum += out[k]!;
    }
    for (let k = 0; k < kinds; k++) out[k]! /= sum;
  };
}
