/**
 * WebAssembly histograms. A bin has f64 gradients, then rows, padded to pairs: 2 numbers for one gradient, 4 for up to
 * three.
 */
import {
  advance,
  assemble,
  type Code,
  type Compiled,
  type FunctionCode,
  f32,
  f64,
  f64x2,
  get,
  i32,
  set,
  whileBelow,
} from '../wasm/assemble.ts';
import { bytes, counts, doubles, floats, type Placed, placeArrays, SIZE } from '../wasm/placeArrays.ts';

const MAX_GRADIENTS = 3;
const PAIR = 16;
const DOUBLE = 8;

function gather(sketches: 1 | 2 | 3): FunctionCode {
  const [rows, last, gradients, summands, from] = [0, 1, 2, 3, 4] as const;
  const pair: Code = [get(summands), get(from), f64x2.loadFloats(), f64x2.store()];
  const single = (at: number): Code => [
    get(summands),
    get(from),
    f32.load(at * SIZE),
    f64.promote,
    f64.store(at * DOUBLE),
  ];
  return {
    name: `gather ${sketches}`,
    parameters: 4,
    locals: ['i32'],
    body: whileBelow(rows, last, [
      [get(rows), i32.load(), i32.constant(sketches * SIZE), i32.mul, get(gradients), i32.add, set(from)],
      [sketches === 1 ? [] : pair, sketches === 2 ? [] : single(sketches - 1)],
      [advance(summands, sketches === 1 ? PAIR : 2 * PAIR), advance(rows, SIZE)],
    ]),
  };
}

/** Independent sums avoid stalls. */
const AT_ONCE = 2;

/** histogram[column[row]] += summands. Columns, then histograms, are the last arguments. */
function count(pairs: 1 | 2, columns: number): FunctionCode {
  const [rows, last, summands] = [0, 1, 2] as const;
  const [bin, row] = [3 + 2 * columns, 4 + 2 * columns];
  const add = Array.from({ length: pairs }, (_, pair): Code => {
    const at = pair * PAIR;
    return [get(bin), get(bin), f64x2.load(at), get(summands), f64x2.load(at), f64x2.add, f64x2.store(at)];
  });
  const each = Array.from(
    { length: columns },
    (_, i): Code => [
      [get(3 + i), get(row), i32.add, i32.load8(), i32.constant(Math.log2(pairs * PAIR)), i32.shiftLeft],
      [get(3 + columns + i), i32.add, set(bin), add],
    ],
  );
  return {
    name: nameOf(pairs, columns),
    parameters: 3 + 2 * columns,
    locals: ['i32', 'i32'],
    body: whileBelow(rows, last, [
      [get(rows), i32.load(), set(row), each],
      [advance(summands, pairs * PAIR), advance(rows, SIZE)],
    ]),
  };
}

const nameOf = (pairs: number, columns: number): string => `count ${pairs} ${columns}`;

/** from[i] -= what[i], up to `last`. */
function subtract(): FunctionCode {
  const [from, last, what] = [0, 1, 2] as const;
  return {
    name: 'subtract',
    parameters: 3,
    locals: [],
    body: whileBelow(from, last, [
      [get(from), get(from), f64x2.load(), get(what), f64x2.load(), f64x2.sub, f64x2.store()],
      [advance(from, PAIR), advance(what, PAIR)],
    ]),
  };
}

const KERNELS = assemble([
  gather(1),
  gather(2),
  gather(3),
  count(1, 1),
  count(1, AT_ONCE),
  count(2, 1),
  count(2, AT_ONCE),
  subtract(),
]);

/** `isLevel`: bins are unordered. */
export interface BinnedColumns {
  columns: readonly Uint8Array[];
  /** Bins per column, including missing. */
  bins: readonly number[];
  isLevel: readonly boolean[];
}

export type ClassHistogram = Placed<Float64Array>;

export class ClassHistograms {
  /** The last number of a bin counts rows. */
  readonly width: number;
  readonly #sketches: number;
  readonly #offsets: readonly number[];
  readonly #kernels: Compiled;
  readonly #placed: ReturnType<typeof openHistograms>['placed'];
  readonly #free: ClassHistogram[];
  readonly #rows: number;

  /** `rows`, `kept`: maximum rows per node and histograms in use. Throws a RangeError above three `sketches`. */
  constructor({ columns, bins }: BinnedColumns, rows: number, sketches: number, kept: number) {
    if (sketches > MAX_GRADIENTS) throw new RangeError(`${sketches} gradients a row, of at most ${MAX_GRADIENTS}`);
    this.width = sketches === 1 ? 2 : 4;
    this.#sketches = sketches;
    this.#rows = columns[0]?.length ?? 0;
    const offsets = [0];
    for (const own of bins) offsets.push(offsets.at(-1)! + own);
    this.#offsets = offsets;
    const size = offsets.at(-1)! * this.width;
    const { kernels, placed } = openHistograms({
      n: this.#rows,
      features: columns.length,
      rows,
      sketches,
      width: this.width,
      size,
      kept,
    });
    this.#kernels = kernels;
    this.#placed = placed;
    columns.forEach((column, f) => {
      placed.columns.values.set(column, f * this.#rows);
    });
    const { at, values } = placed.histograms;
    this.#free = Array.from({ length: kept }, (_, i) => ({
      at: at + i * size * DOUBLE,
      values: values.subarray(i * size, (i + 1) * size),
    }));
  }

  look(gradients: Float32Array): void {
    this.#placed.gradients.values.set(gradients);
  }

  /** Throws a RangeError if all histograms are in use. */
  count(order: Uint32Array, start: number, end: number): ClassHistogram {
    const histogram = this.#free.pop();
    if (!histogram) throw new RangeError('more histograms than were asked for');
    histogram.values.fill(0);
    const { columns, gradients, summands, order: rows } = this.#placed;
    rows.values.set(order.subarray(start, end));
    const last = rows.at + (end - start) * SIZE;
    this.#kernels[`gather ${this.#sketches}`]!(rows.at, last, gradients.at, summands.at);
    const features = this.#offsets.length - 1;
    for (let f = 0; f < features; ) {
      const size = f + AT_ONCE <= features ? AT_ONCE : 1;
      const own = Array.from({ length: size }, (_, i) => columns.at + (f + i) * this.#rows);
      const bins = own.map((_, i) => histogram.at + this.#offsets[f + i]! * this.width * DOUBLE);
      this.#kernels[nameOf(this.width / 2, size)]!(rows.at, last, summands.at, ...own, ...bins);
      f += size;
    }
    return histogram;
  }

  binsOf(feature: number): { from: number; to: number } {
    return { from: this.#offsets[feature]!, to: this.#offsets[feature + 1]! };
  }

  /** Overwrites the parent with the sibling. */
  subtract(parent: ClassHistogram, child: ClassHistogram): void {
    this.#kernels.subtract!(parent.at, parent.at + parent.values.length * DOUBLE, child.at);
  }

  release(histogram: ClassHistogram): void {
    this.#free.push(histogram);
  }
}

interface Sizes {
  n: number;
  features: number;
  rows: number;
  sketches: number;
  width: number;
  size: number;
  kept: number;
}

function openHistograms({ n, features, rows, sketches, width, size, kept }: Sizes) {
  const opened = placeArrays(KERNELS, {
    columns: bytes(n * features),
    gradients: floats(n * sketches),
    order: counts(rows),
    summands: doubles(rows * width),
    histograms: doubles(size * kept),
  });
  const { values } = opened.placed.summands;
  for (let i = width - 1; i < values.length; i += width) values[i] = 1;
  return opened;
}
