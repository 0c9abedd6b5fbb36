/**
 * Class probabilities by gradient boosting (Friedman, 2001): each round grows one tree for all classes on sketches of their
 * gradients, and its leaves move every class by a shrunk Newton step. Rows apart say how many rounds there are.
 */
import type { RandomStream } from '../random/stream.ts';
import type { Steps } from '../steps.ts';
import { type ClassTrees, TreeWriter } from './classTrees.ts';
import { applyBinning, type FeatureBins, type FeatureTable, valueBins } from './features.ts';
import { ClassTreeGrower, type GrownNode, type GrowSettings, leafAt } from './growClassTree.ts';

export interface ClassBoosting extends GrowSettings {
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
/** A leaf's step before it is shrunk: expected rows of a class fall no further, and rise no further, than by these. */
const MAX_FALL = -2;
const MAX_RISE = 3;

/** Steps: a round each. */
export function* fitClassTrees(task: Task, settings: ClassBoosting, random: RandomStream): Steps<ClassTrees> {
  const { table, binning, classes, kinds, rows, apart } = task;
  const columns = applyBinning(binning, table);
  const bins = binning.map((own) => valueBins(own) + 1);
  const isLevel = binning.map((own) => own.kind === 'category');
  const sketches = Math.max(1, Math.min(settings.sketches, kinds - 1));
  const grower = new ClassTreeGrower({ columns, bins, isLevel }, rows.length, sketches, settings);
  const base = sharesOf(classes, kinds, rows);
  const state = new Probabilities(classes, kinds, base, table.rows, settings.alike);
  const gradients = new Float32Array(table.rows * sketches);
  const written = new TreeWriter(kinds);
  let best = { score: state.score(apart), rounds: 0 };
  for (let round = 1; round <= settings.rounds && kinds > 1; round++) {
    state.sketch(rows, sketchOf(kinds, sketches, settings.alike !== null, random), sketches, gradients);
    grower.order.set(rows);
    const nodes = grower.grow(gradients, rows.length);
    if (nodes.length === 1) break;
    const values = nodes.map((node) =>
      node.split ? null : state.step(grower.order, node, settings.shrinkageRows, settings.learningRate),
    );
    const factors = values.map((own) => own?.map(Math.exp));
    nodes.forEach(({ start, end }, at) => {
      const own = factors[at];
      if (own) for (let i = start; i < end; i++) state.move(grower.order[i]!, own);
    });
    for (const row of apart) state.move(row, factors[leafAt(nodes, columns, row)]!);
    written.add(nodes, values);
    const score = state.score(apart);
    if (apart.length === 0 || score > best.score + MIN_BETTER) best = { score, rounds: round };
    else if (round - best.rounds >= settings.patience) break;
    yield;
  }
  return written.trees(binning, base.map(Math.log), best.rounds);
}

function sharesOf(classes: Int32Array, kinds: number, rows: Int32Array): Float64Array {
  const counts = new Float64Array(kinds).fill(SHARE_OF_ROW);
  for (const row of rows) counts[classes[row]!]!++;
  return counts.map((count) => count / (rows.length + SHARE_OF_ROW * kinds));
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

/** The probabilities of every row, and what moves them. */
class Probabilities {
  readonly #p: Float32Array;
  readonly #classes: Int32Array;
  readonly #kinds: number;
  readonly #spreads: Float64Array | null;

  constructor(classes: Int32Array, kinds: number, base: Float64Array, rows: number, alike: Float64Array | null) {
    this.#spreads = alike?.some((like) => like > 0) ? spreadsOf(alike) : null;
    this.#p = new Float32Array(rows * kinds);
    for (let row = 0; row < rows; row++) this.#p.set(base, row * kinds);
    this.#classes = classes;
    this.#kinds = kinds;
  }

  /** Mean log probability of the rows' own classes. */
  score(rows: Int32Array): number {
    let sum = 0;
    for (const row of rows) sum += Math.log(Math.max(1e-12, this.#p[row * this.#kinds + this.#classes[row]!]!));
    return rows.length > 0 ? sum / rows.length : 0;
  }

  /** Writes the gradients of `rows` along the directions. Three at once take as long as one: a sum waits for itself. */
  sketch(rows: Int32Array, directions: Float32Array, sketches: number, out: Float32Array): void {
    const own = Array.from({ length: sketches }, (_, s) =>
      Float32Array.from({ length: this.#kinds }, (_, k) => directions[k * sketches + s]!),
    );
    const [first, second, third] = own;
    if (own.length === 3 && first && second && third) this.#sketchThree(rows, first, second, third, out);
    else for (const [s, direction] of own.entries()) this.#sketchOne(rows, direction, s, sketches, out);
  }

  #sketchOne(rows: Int32Array, direction: Float32Array, s: number, sketches: number, out: Float32Array): void {
    const [p, kinds, classes] = [this.#p, this.#kinds, this.#classes];
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      let gradient = -direction[classes[row]!]!;
      for (let k = 0, at = row * kinds; k < kinds; k++, at++) gradient += p[at]! * direction[k]!;
      out[row * sketches + s] = gradient;
    }
  }

  #sketchThree(rows: Int32Array, a: Float32Array, b: Float32Array, c: Float32Array, out: Float32Array): void {
    const [p, kinds, classes] = [this.#p, this.#kinds, this.#classes];
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      const own = classes[row]!;
      let [x, y, z] = [-a[own]!, -b[own]!, -c[own]!];
      for (let k = 0, at = row * kinds; k < kinds; k++, at++) {
        const share = p[at]!;
        x += share * a[k]!;
        y += share * b[k]!;
        z += share * c[k]!;
      }
      out[3 * row] = x;
      out[3 * row + 1] = y;
      out[3 * row + 2] = z;
    }
  }

  /** What a leaf adds to the logarithms, K: how many more rows of each class it has than expected, by those expected. */
  step(order: Uint32Array, { start, end }: GrownNode, shrinkageRows: number, rate: number): Float32Array {
    const [p, kinds] = [this.#p, this.#kinds];
    const observed = new Float64Array(kinds);
    const expected = new Float64Array(kinds);
    for (let i = start; i < end; i++) {
      const row = order[i]!;
      observed[this.#classes[row]!]!++;
      for (let k = 0, at = row * kinds; k < kinds; k++, at++) expected[k]! += p[at]!;
    }
    const spread = (counts: Float64Array) => (this.#spreads ? product(this.#spreads, counts) : counts);
    const [found, due] = [spread(observed), spread(expected)];
    return Float32Array.from(found, (count, k) => {
      const step = (count - due[k]!) / (due[k]! + shrinkageRows);
      return rate * Math.min(MAX_RISE, Math.max(MAX_FALL, step));
    });
  }

  /** Multiplies a row's probabilities, and brings them back to a sum of 1. */
  move(row: number, factors: Float32Array): void {
    const [p, kinds] = [this.#p, this.#kinds];
    const start = row * kinds;
    let sum = 0;
    for (let k = 0; k < kinds; k++) {
      const moved = p[start + k]! * factors[k]!;
      p[start + k] = moved;
      sum += moved;
    }
    const scale = 1 / sum;
    for (let k = 0; k < kinds; k++) p[start + k]! *= scale;
  }
}

/** The standard deviation of the bell that rows of a leaf are spread over, as a share of the classes. */
const BELL = 0.057;
/** The share that stays where it is, so that a sharp edge is found at last. */
const STAYING = 0.05;

/**
 * What spreads counts over like neighbours, K by K: a leaf has few rows of each class. Each time a quarter of the difference of two
 * neighbours moves, as far as they are alike, which is a variance of half a class.
 */
export function spreadsOf(alike: Float64Array): Float64Array {
  const kinds = alike.length + 1;
  const times = Math.max(1, Math.round(2 * (BELL * kinds) ** 2));
  const out = new Float64Array(kinds * kinds);
  const counts = new Float64Array(kinds);
  for (let from = 0; from < kinds; from++) {
    counts.fill(0);
    counts[from] = 1;
    for (let time = 0; time < times; time++) diffuse(counts, alike);
    for (let to = 0; to < kinds; to++) out[to * kinds + from] = (1 - STAYING) * counts[to]!;
    out[from * kinds + from]! += STAYING;
  }
  return out;
}

function diffuse(counts: Float64Array, alike: Float64Array): void {
  let before = 0;
  for (let k = 0; k + 1 < counts.length; k++) {
    const flow = 0.25 * alike[k]! * (counts[k]! - counts[k + 1]!);
    counts[k]! += before - flow;
    before = flow;
  }
  counts[counts.length - 1]! += before;
}

/** The product of a K by K matrix, by rows, and a vector. */
function product(matrix: Float64Array, vector: Float64Array): Float64Array {
  const kinds = vector.length;
  return vector.map((_, k) => {
    let sum = 0;
    for (let j = 0, at = k * kinds; j < kinds; j++, at++) sum += matrix[at]! * vector[j]!;
    return sum;
  });
}
