/** n fitted rows precede held-out ones. K classes. */
import type { Compiled } from '../wasm/assemble.ts';
import { counts, floats, integers, placeArrays, SIZE } from '../wasm/placeArrays.ts';
import { CLASS_KERNELS, DIRECTIONS, inFours } from './classKernels.ts';
import type { GrownNode } from './growClassTree.ts';

interface ClassRows {
  /** 0 … K - 1. */
  classes: Int32Array;
  kinds: number;
  /** Initial shares (K). */
  base: Float64Array;
  /** n. */
  fitted: number;
}

interface StepSettings {
  sketches: number;
  maxLeaves: number;
  shrinkageRows: number;
  learningRate: number;
  /** Similarity of class k to the next (0 to 1); null for unordered classes. */
  alike: Float64Array | null;
}

/** Bounds on a leaf's step before shrinkage. */
const MAX_FALL = -2;
const MAX_RISE = 3;

/** K is padded to fours, except in gradients. */
function openRows({ classes, kinds, fitted }: ClassRows, { sketches, maxLeaves }: StepSettings) {
  const width = inFours(kinds);
  return placeArrays(CLASS_KERNELS, {
    p: floats(classes.length * width),
    order: counts(fitted),
    numbers: counts(classes.length),
    places: integers(classes.length),
    directions: floats(DIRECTIONS * width),
    gradients: floats(fitted * sketches),
    factors: floats(2 * maxLeaves * width),
    sums: floats(width),
  });
}

export class ClassProbabilities {
  readonly order: Uint32Array;
  readonly #rows: ClassRows;
  readonly #settings: StepSettings;
  readonly #kernels: Compiled;
  readonly #width: number;
  readonly #stride: number;
  readonly #placed: ReturnType<typeof openRows>['placed'];
  readonly #spreads: Float64Array | null;

  constructor(rows: ClassRows, settings: StepSettings) {
    const { classes, kinds, base } = rows;
    const { alike } = settings;
    this.#rows = rows;
    this.#settings = settings;
    this.#spreads = alike?.some((like) => like > 0) ? spreadsOf(alike) : null;
    this.#width = inFours(kinds);
    this.#stride = this.#width * SIZE;
    const { kernels, placed } = openRows(rows, settings);
    this.#kernels = kernels;
    this.#placed = placed;
    this.order = placed.order.values;
    for (let row = 0; row < classes.length; row++) {
      this.#placed.p.values.set(base, row * this.#width);
      this.#placed.numbers.values[row] = row;
      this.#placed.places.values[row] = SIZE * placeOf(classes[row]!, 0);
    }
  }

  /** Mean log probability of held-out classes. */
  score(): number {
    const { classes, fitted } = this.#rows;
    let sum = 0;
    for (let row = fitted; row < classes.length; row++) sum += Math.log(Math.max(1e-12, this.#of(row, classes[row]!)));
    return classes.length > fitted ? sum / (classes.length - fitted) : 0;
  }

  #of(row: number, one: number): number {
    return this.#placed.p.values[row * this.#width + one]!;
  }

  /** Gradients (n × S) along `directions` (K × S). */
  look(directions: Float32Array): Float32Array {
    const { sketches } = this.#settings;
    if (sketches === DIRECTIONS) this.#lookAtOnce(directions);
    else for (let s = 0; s < sketches; s++) this.#lookAlong(directions, s);
    return this.#placed.gradients.values;
  }

  #lookAtOnce(directions: Float32Array): void {
    const { kinds, fitted } = this.#rows;
    for (let k = 0; k < kinds; k++) {
      for (let s = 0; s < DIRECTIONS; s++)
        this.#placed.directions.values[placeOf(k, s)] = directions[k * DIRECTIONS + s]!;
    }
    const numbers = this.#placed.numbers.at;
    const [p, d, places, out] = [
      this.#placed.p.at,
      this.#placed.directions.at,
      this.#placed.places.at,
      this.#placed.gradients.at,
    ];
    this.#kernels.look!(numbers, numbers + SIZE * fitted, p, this.#stride, d, places, out);
  }

  #lookAlong(directions: Float32Array, s: number): void {
    const { classes, kinds, fitted } = this.#rows;
    const { sketches } = this.#settings;
    const [p, gradients, width] = [this.#placed.p.values, this.#placed.gradients.values, this.#width];
    for (let row = 0; row < fitted; row++) {
      let gradient = -directions[classes[row]! * sketches + s]!;
      for (let k = 0; k < kinds; k++) gradient += p[row * width + k]! * directions[k * sketches + s]!;
      gradients[row * sketches + s] = gradient;
    }
  }

  /** Moves fitted rows and returns each leaf's log increments (K); null for inner nodes. */
  step(nodes: readonly GrownNode[]): (Float32Array | null)[] {
    return nodes.map((node, at) => {
      if (node.split) return null;
      const values = this.#stepOf(node);
      this.#placed.factors.values.set(values.map(Math.exp), at * this.#width);
      this.#move(this.#placed.order.at + SIZE * node.start, this.#placed.order.at + SIZE * node.end, at);
      return values;
    });
  }

  moveApart(leafOf: (row: number) => number): void {
    const { classes, fitted } = this.#rows;
    for (let row = fitted; row < classes.length; row++) {
      const at = this.#placed.numbers.at + SIZE * row;
      this.#move(at, at + SIZE, leafOf(row));
    }
  }

  #move(from: number, to: number, node: number): void {
    this.#kernels.move!(from, to, this.#placed.p.at, this.#stride, this.#placed.factors.at + node * this.#stride);
  }

  #stepOf({ start, end }: GrownNode): Float32Array {
    const { classes, kinds } = this.#rows;
    const { shrinkageRows, learningRate } = this.#settings;
    const observed = new Float64Array(kinds);
    for (let i = start; i < end; i++) observed[classes[this.order[i]!]!]!++;
    this.#placed.sums.values.fill(0);
    const order = this.#placed.order.at;
    this.#kernels.addUp!(
      order + SIZE * start,
      order + SIZE * end,
      this.#placed.p.at,
      this.#stride,
      this.#placed.sums.at,
    );
    const expected = Float64Array.from(this.#placed.sums.values.subarray(0, kinds));
    const spread = (counts: Float64Array) => (this.#spreads ? product(this.#spreads, counts) : counts);
    const [found, due] = [spread(observed), spread(expected)];
    return Float32Array.from(found, (count, k) => {
      const step = (count - due[k]!) / (due[k]! + shrinkageRows);
      return learningRate * Math.min(MAX_RISE, Math.max(MAX_FALL, step));
    });
  }
}

/** Directions are interleaved by fours of classes. */
const placeOf = (k: number, s: number): number => (Math.floor(k / 4) * DIRECTIONS + s) * 4 + (k % 4);

/** Standard deviation of smoothing, relative to K. */
const BELL = 0.057;
/** Share left unsmoothed, so that sharp edges are found. */
const STAYING = 0.05;

/** Smooths leaf counts over similar neighbours (K × K). Each step has a variance of half a class. */
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

function product(matrix: Float64Array, vector: Float64Array): Float64Array {
  const kinds = vector.length;
  return vector.map((_, k) => {
    let sum = 0;
    for (let j = 0, at = k * kinds; j < kinds; j++, at++) sum += matrix[at]! * vector[j]!;
    return sum;
  });
}
