/** Kernels for packed blocks: f32 numbers with f64 sums; ones as column lists by row. Arguments are pointers. */
import {
  advance,
  assemble,
  type Code,
  type FunctionCode,
  f64,
  f64x2,
  get,
  i32,
  repeatWhileBelow,
  set,
  whileBelow,
} from '../../wasm/assemble.ts';

/** Rows per block: 50 kB for 100 f32 columns. */
export const BLOCK = 128;
/** Number columns per group. */
export const TOGETHER = 4;

const FLOATS = 4 * BLOCK;
const DOUBLES = 8 * BLOCK;
const each = <T>(count: number, make: (k: number) => T): T[] => Array.from({ length: count }, (_, k) => make(k));

/** eta[i] += Σ_j x[j, i] θ[j]. */
function multiplyNumbers(): FunctionCode {
  const [x, theta, eta, end, column, row, rows] = [0, 1, 2, 3, 4, 5, 6] as const;
  const coefficients = each(TOGETHER, (k) => 7 + k);
  const pair = (at: number): Code => [
    get(row),
    [get(row), f64x2.load(8 * at)],
    coefficients.map((b, k) => [get(column), f64x2.loadFloats(k * FLOATS + 4 * at), get(b), f64x2.mul, f64x2.add]),
    f64x2.store(8 * at),
  ];
  return {
    name: 'multiplyNumbers',
    parameters: 4,
    locals: ['i32', 'i32', 'i32', ...each(TOGETHER, () => 'v128' as const)],
    body: [
      [get(eta), i32.constant(DOUBLES), i32.add, set(rows)],
      whileBelow(theta, end, [
        coefficients.map((b, k) => [get(theta), f64x2.loadSplat(8 * k), set(b)]),
        [get(x), set(column), get(eta), set(row)],
        repeatWhileBelow(row, rows, [pair(0), pair(2), advance(column, 16), advance(row, 32)]),
        advance(x, TOGETHER * FLOATS),
        advance(theta, 8 * TOGETHER),
      ]),
    ],
  };
}

/** g[j] += Σ_i x[j, i] d[i]. */
function addNumbers(): FunctionCode {
  const [x, d, g, end, column, row, rows, pull] = [0, 1, 2, 3, 4, 5, 6, 7] as const;
  const [even, odd] = [each(TOGETHER, (k) => 8 + k), each(TOGETHER, (k) => 8 + TOGETHER + k)];
  const pair = (sums: readonly number[], at: number): Code => [
    [get(row), f64x2.load(8 * at), set(pull)],
    sums.map((sum, k) => [
      [get(column), f64x2.loadFloats(k * FLOATS + 4 * at), get(pull), f64x2.mul],
      [get(sum), f64x2.add, set(sum)],
    ]),
  ];
  return {
    name: 'addNumbers',
    parameters: 4,
    locals: ['i32', 'i32', 'i32', ...each(1 + 2 * TOGETHER, () => 'v128' as const)],
    body: [
      [get(d), i32.constant(DOUBLES), i32.add, set(rows)],
      whileBelow(g, end, [
        [...even, ...odd].map((sum) => [f64x2.zero, set(sum)]),
        [get(x), set(column), get(d), set(row)],
        repeatWhileBelow(row, rows, [pair(even, 0), pair(odd, 2), advance(column, 16), advance(row, 32)]),
        even.map((sum, k) => [get(sum), get(odd[k]!), f64x2.add, set(sum), addLanes(g, 8 * k, sum)]),
        advance(x, TOGETHER * FLOATS),
        advance(g, 8 * TOGETHER),
      ]),
    ],
  };
}

const addLanes = (pointer: number, offset: number, sum: number): Code => [
  get(pointer),
  [get(pointer), f64.load(offset)],
  [get(sum), f64x2.lane(0), get(sum), f64x2.lane(1), f64.add],
  f64.add,
  f64.store(offset),
];

/** eta[i] += Σ θ[column] over ones; `offsets`: start of each list. */
function multiplyOnes(): FunctionCode {
  const [offsets, theta, eta, end, at, last, sum] = [0, 1, 2, 3, 4, 5, 6] as const;
  return {
    name: 'multiplyOnes',
    parameters: 4,
    locals: ['i32', 'i32', 'f64'],
    body: whileBelow(eta, end, [
      [get(eta), f64.load(), set(sum)],
      [get(offsets), i32.load(), set(at), get(offsets), i32.load(4), set(last)],
      whileBelow(at, last, [[get(sum), entryOf(theta, at), f64.load(), f64.add, set(sum)], advance(at, 2)]),
      [get(eta), get(sum), f64.store()],
      advance(offsets, 4),
      advance(eta, 8),
    ]),
  };
}

/** g[column] += d[i] for ones of row i. */
function addOnes(): FunctionCode {
  const [offsets, d, g, end, at, last, entry, pull] = [0, 1, 2, 3, 4, 5, 6, 7] as const;
  return {
    name: 'addOnes',
    parameters: 4,
    locals: ['i32', 'i32', 'i32', 'f64'],
    body: whileBelow(d, end, [
      [get(d), f64.load(), set(pull)],
      [get(offsets), i32.load(), set(at), get(offsets), i32.load(4), set(last)],
      whileBelow(at, last, [
        [entryOf(g, at), set(entry)],
        [get(entry), get(entry), f64.load(), get(pull), f64.add, f64.store()],
        advance(at, 2),
      ]),
      advance(offsets, 4),
      advance(d, 8),
    ]),
  };
}

const entryOf = (base: number, at: number): Code => [
  get(base),
  get(at),
  i32.load16(),
  i32.constant(3),
  i32.shiftLeft,
  i32.add,
];

/** out[a, b] += Σ_i w[a, i] x[b, i], four × two columns; `stride` in bytes. */
function addTile(): FunctionCode {
  const [w, x, out, stride, end] = [0, 1, 2, 3, 4] as const;
  const columns = [5, 6] as const;
  const weighted = 7;
  const sums = each(TOGETHER, (a) => [8 + 2 * a, 9 + 2 * a]);
  return {
    name: 'addTile',
    parameters: 4,
    locals: ['i32', ...each(3 + 2 * TOGETHER, () => 'v128' as const)],
    body: [
      [get(w), i32.constant(DOUBLES), i32.add, set(end)],
      sums.flat().map((sum) => [f64x2.zero, set(sum)]),
      repeatWhileBelow(w, end, [
        columns.map((column, b) => [get(x), f64x2.loadFloats(b * FLOATS), set(column)]),
        sums.map((row, a) => [
          [get(w), f64x2.load(a * DOUBLES), set(weighted)],
          row.map((sum, b) => [get(weighted), get(columns[b]!), f64x2.mul, get(sum), f64x2.add, set(sum)]),
        ]),
        advance(w, 16),
        advance(x, 8),
      ]),
      sums.map((row) => [row.map((sum, b) => addLanes(out, 8 * b, sum)), [get(out), get(stride), i32.add, set(out)]]),
    ],
  };
}

/** out[column, :] += row i for ones; `width` in bytes. */
function addRowsToOnes(): FunctionCode {
  const [offsets, rows, end, width, out, at, last, from, to, target] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
  const pair = (offset: number): Code => [
    get(target),
    [get(target), f64x2.load(offset), get(from), f64x2.load(offset), f64x2.add],
    f64x2.store(offset),
  ];
  return {
    name: 'addRowsToOnes',
    parameters: 5,
    locals: ['i32', 'i32', 'i32', 'i32', 'i32'],
    body: whileBelow(rows, end, [
      [get(rows), get(width), i32.add, set(to)],
      [get(offsets), i32.load(), set(at), get(offsets), i32.load(4), set(last)],
      whileBelow(at, last, [
        [get(out), get(at), i32.load16(), get(width), i32.mul, i32.add, set(target), get(rows), set(from)],
        whileBelow(from, to, [pair(0), pair(16), advance(from, 32), advance(target, 32)]),
        advance(at, 2),
      ]),
      advance(offsets, 4),
      [get(to), set(rows)],
    ]),
  };
}

export const designKernels = assemble([
  multiplyNumbers(),
  addNumbers(),
  multiplyOnes(),
  addOnes(),
  addTile(),
  addRowsToOnes(),
]);
