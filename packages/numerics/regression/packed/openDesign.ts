import { type Compiled, instantiate, PAGE } from '../../wasm/assemble.ts';
import { BLOCK, designKernels, TOGETHER } from './designKernels.ts';
import { type PackedMatrix, workBytes } from './packDesign.ts';

/** Blocks begin at multiples of `BLOCK`. */
export interface BlockProducts {
  readonly eta: Float64Array;
  readonly d: Float64Array;
  /** Reads coefficients from entry `at` and resets sums. */
  begin(theta: Float64Array, at: number): void;
  /** eta = X θ. */
  multiply(from: number, count: number): void;
  /** Adds Xᵀ d to the sums. */
  addTransposed(from: number, count: number): void;
  finish(target: Float64Array, at: number): void;
}

export interface OpenedDesign {
  kind: 'packed';
  rows: number;
  cols: number;
  products: BlockProducts;
  /** Adds Xᵀ diag(w) X at (at, at). */
  addGram(w: Float64Array, target: Float64Array, stride: number, at: number): void;
  /** Row-major. */
  unpack(from: number, count: number, out: Float64Array): void;
}

/** Each thread gets its own working memory. */
export function openDesign(x: PackedMatrix): OpenedDesign {
  const memory = allocate(x);
  const kernels = instantiate(designKernels, x.memory);
  return {
    kind: 'packed',
    rows: x.rows,
    cols: x.cols,
    products: productsOf(x, memory, kernels),
    addGram: (w, target, stride, at) => addGram(x, memory, kernels, w, { target, stride, at }),
    unpack: (from, count, out) => unpack(x, memory, from, count, out),
  };
}

interface Doubles {
  at: number;
  end: number;
  values: Float64Array;
}

type Work = ReturnType<typeof allocate>;

function allocate({ memory, cols, numbers, ones }: PackedMatrix) {
  const width = Math.ceil(numbers.length / TOGETHER) * TOGETHER;
  let next = PAGE * memory.grow(Math.ceil(workBytes(cols) / PAGE));
  const { buffer } = memory;
  const take = (length: number): Doubles => {
    const at = next;
    next += 8 * length;
    return { at, end: next, values: new Float64Array(buffer, at, length) };
  };
  const takeTwo = (length: number) => {
    const [own, sums] = [take(length), take(length)];
    return { ...own, sums: sums.values, sumsAt: sums.at, sumsEnd: sums.end };
  };
  return {
    width,
    numbers: takeTwo(width),
    ones: takeTwo(ones.length),
    eta: take(BLOCK),
    d: take(BLOCK),
    gram: take(width * width),
    mixed: take(ones.length * width),
    byColumn: take(BLOCK * width),
    byRow: take(BLOCK * width),
  };
}

function productsOf(x: PackedMatrix, { numbers, ones, eta, d, width }: Work, kernels: Compiled): BlockProducts {
  const blockAt = (from: number): number => x.blocks + 4 * from * width;
  const offsetsAt = (from: number): number => x.offsets + 4 * from;
  return {
    eta: eta.values,
    d: d.values,
    begin(theta, at) {
      for (let k = 0; k < x.numbers.length; k++) numbers.values[k] = theta[at + x.numbers[k]!]!;
      for (let k = 0; k < x.ones.length; k++) ones.values[k] = theta[at + x.ones[k]!]!;
      numbers.sums.fill(0);
      ones.sums.fill(0);
    },
    multiply(from) {
      eta.values.fill(0);
      kernels.multiplyNumbers!(blockAt(from), numbers.at, eta.at, numbers.end);
      kernels.multiplyOnes!(offsetsAt(from), ones.at, eta.at, eta.end);
    },
    addTransposed(from, count) {
      d.values.fill(0, count);
      kernels.addNumbers!(blockAt(from), d.at, numbers.sumsAt, numbers.sumsEnd);
      kernels.addOnes!(offsetsAt(from), d.at, ones.sumsAt, d.end);
    },
    finish(target, at) {
      for (let k = 0; k < x.numbers.length; k++) target[at + x.numbers[k]!]! += numbers.sums[k]!;
      for (let k = 0; k < x.ones.length; k++) target[at + x.ones[k]!]! += ones.sums[k]!;
    },
  };
}

interface Target {
  target: Float64Array;
  stride: number;
  at: number;
}

function addGram(x: PackedMatrix, work: Work, kernels: Compiled, w: Float64Array, into: Target): void {
  const { width, gram, mixed, byColumn, byRow } = work;
  const ones = new Float64Array(x.ones.length ** 2);
  gram.values.fill(0);
  mixed.values.fill(0);
  const floats = new Float32Array(x.memory.buffer, x.blocks, Math.ceil(x.rows / BLOCK) * BLOCK * width);
  for (let from = 0; from < x.rows; from += BLOCK) {
    const count = Math.min(BLOCK, x.rows - from);
    for (let k = 0; k < width; k++) {
      const column = k * BLOCK;
      for (let i = 0; i < BLOCK; i++) {
        const value = i < count ? w[from + i]! * floats[from * width + column + i]! : 0;
        byColumn.values[column + i] = value;
        byRow.values[i * width + k] = value;
      }
    }
    const block = x.blocks + 4 * from * width;
    for (let a = 0; a < width; a += TOGETHER) {
      for (let b = a; b < width; b += 2) {
        kernels.addTile!(byColumn.at + 8 * BLOCK * a, block + 4 * BLOCK * b, gram.at + 8 * (a * width + b), 8 * width);
      }
    }
    kernels.addRowsToOnes!(x.offsets + 4 * from, byRow.at, byRow.end, 8 * width, mixed.at);
    addPairs(x, w, from, count, ones);
  }
  spread(x, work, ones, into);
}

function addPairs(x: PackedMatrix, w: Float64Array, from: number, count: number, sums: Float64Array): void {
  const starts = new Uint32Array(x.memory.buffer, x.offsets + 4 * from, count + 1);
  const [first, size] = [starts[0]!, x.ones.length];
  const list = new Uint16Array(x.memory.buffer, first, (starts[count]! - first) / 2);
  for (let i = 0; i < count; i++) {
    const end = (starts[i + 1]! - first) / 2;
    for (let a = (starts[i]! - first) / 2; a < end; a++) {
      const row = list[a]! * size;
      for (let b = a; b < end; b++) sums[row + list[b]!]! += w[from + i]!;
    }
  }
}

function spread(
  x: PackedMatrix,
  { width, gram, mixed }: Work,
  ones: Float64Array,
  { target, stride, at }: Target,
): void {
  const add = (j: number, k: number, value: number): void => {
    target[(at + j) * stride + at + k]! += value;
    if (j !== k) target[(at + k) * stride + at + j]! += value;
  };
  x.numbers.forEach((j, a) => {
    for (let b = a; b < x.numbers.length; b++) add(j, x.numbers[b]!, gram.values[a * width + b]!);
  });
  x.ones.forEach((j, a) => {
    for (let b = 0; b < x.numbers.length; b++) add(j, x.numbers[b]!, mixed.values[a * width + b]!);
    for (let b = a; b < x.ones.length; b++) add(j, x.ones[b]!, ones[a * x.ones.length + b]!);
  });
}

function unpack(x: PackedMatrix, { width }: Work, from: number, count: number, out: Float64Array): void {
  const floats = new Float32Array(x.memory.buffer, x.blocks + 4 * from * width, BLOCK * width);
  const starts = new Uint32Array(x.memory.buffer, x.offsets + 4 * from, count + 1);
  out.fill(0, 0, count * x.cols);
  for (let i = 0; i < count; i++) {
    x.numbers.forEach((j, k) => {
      out[i * x.cols + j] = floats[k * BLOCK + i]!;
    });
    const list = new Uint16Array(x.memory.buffer, starts[i]!, (starts[i + 1]! - starts[i]!) / 2);
    for (const k of list) out[i * x.cols + x.ones[k]!] = 1;
  }
}
