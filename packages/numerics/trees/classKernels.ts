/**
 * What is done with the classes of many rows, in WebAssembly, four classes at a time, as f32. The classes of a row are padded with
 * zeros to whole fours: `stride` bytes. All arguments are pointers, but for that; rows are i32.
 */
import {
  advance,
  assemble,
  type Code,
  type Compiled,
  createMemory,
  type FunctionCode,
  f32,
  f32x4,
  get,
  i32,
  instantiate,
  PAGE,
  repeatWhileBelow,
  set,
  tee,
  whileBelow,
} from '../wasm/assemble.ts';

const FOUR = 16;
/** Directions that a row is seen along at once. */
export const DIRECTIONS = 3;

/** Of a row number that `rows` points to: where its classes begin and end. */
const rowOf = (rows: number, p: number, stride: number, [at, end]: readonly [number, number]): Code => [
  [get(rows), i32.load(), get(stride), i32.mul, get(p), i32.add, tee(at)],
  [get(stride), i32.add, set(end)],
];

const sumOf = (four: number): Code => [
  [get(four), f32x4.lane(0), get(four), f32x4.lane(1), f32.add],
  [get(four), f32x4.lane(2), get(four), f32x4.lane(3), f32.add, f32.add],
];

/** p[row, k] = p[row, k] f[k] / Σ p[row, j] f[j] for the rows from `rows` to `last`. */
function move(): FunctionCode {
  const [rows, last, p, stride, factors, at, end, factor, own, sum] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
  return {
    name: 'move',
    parameters: 5,
    locals: ['i32', 'i32', 'i32', 'v128', 'v128'],
    body: whileBelow(rows, last, [
      rowOf(rows, p, stride, [at, end]),
      [get(factors), set(factor), f32x4.zero, set(sum)],
      repeatWhileBelow(at, end, [
        [get(at), get(at), f32x4.load(), get(factor), f32x4.load(), f32x4.mul, tee(own), f32x4.store()],
        [get(sum), get(own), f32x4.add, set(sum)],
        [advance(at, FOUR), advance(factor, FOUR)],
      ]),
      [f32.one, sumOf(sum), f32.div, f32x4.splat, set(sum)],
      rowOf(rows, p, stride, [at, end]),
      repeatWhileBelow(at, end, [
        [get(at), get(at), f32x4.load(), get(sum), f32x4.mul, f32x4.store()],
        advance(at, FOUR),
      ]),
      advance(rows, 4),
    ]),
  };
}

/** out[k] += Σ p[row, k] over the rows from `rows` to `last`. */
function addUp(): FunctionCode {
  const [rows, last, p, stride, out, at, end, to] = [0, 1, 2, 3, 4, 5, 6, 7] as const;
  return {
    name: 'addUp',
    parameters: 5,
    locals: ['i32', 'i32', 'i32'],
    body: whileBelow(rows, last, [
      rowOf(rows, p, stride, [at, end]),
      [get(out), set(to)],
      repeatWhileBelow(at, end, [
        [get(to), get(to), f32x4.load(), get(at), f32x4.load(), f32x4.add, f32x4.store()],
        [advance(at, FOUR), advance(to, FOUR)],
      ]),
      advance(rows, 4),
    ]),
  };
}

/**
 * out[row, s] = Σ_k p[row, k] d[k, s] - d[own class, s] for three directions, which go together by fours of classes; `places`: by
 * row, how far its own class is from where the directions begin.
 */
function look(): FunctionCode {
  const [rows, last, p, stride, directions, places, out, at, end, d, to, ...sums] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
  ] as const;
  const along = sums.map(
    (sum, s): Code => [
      get(sum),
      [get(at), f32x4.load(), get(d), f32x4.load(s * FOUR), f32x4.mul],
      [f32x4.add, set(sum)],
    ],
  );
  const written = sums.map(
    (sum, s): Code => [get(to), [sumOf(sum), get(d), f32.load(s * FOUR), f32.sub], f32.store(4 * s)],
  );
  const ofRow = (base: number, size: number): Code => [
    get(rows),
    i32.load(),
    i32.constant(size),
    i32.mul,
    get(base),
    i32.add,
  ];
  return {
    name: 'look',
    parameters: 7,
    locals: ['i32', 'i32', 'i32', 'i32', 'v128', 'v128', 'v128'],
    body: whileBelow(rows, last, [
      rowOf(rows, p, stride, [at, end]),
      [get(directions), set(d), sums.map((sum) => [f32x4.zero, set(sum)])],
      repeatWhileBelow(at, end, [along, advance(at, FOUR), advance(d, DIRECTIONS * FOUR)]),
      [ofRow(places, 4), i32.load(), get(directions), i32.add, set(d)],
      [ofRow(out, 4 * DIRECTIONS), set(to), written],
      advance(rows, 4),
    ]),
  };
}

/** p[i, k] += v[k] for one row after the other, the values of each at an address of `leaves`. */
function addLeaves(): FunctionCode {
  const [leaves, last, p, stride, end, value] = [0, 1, 2, 3, 4, 5] as const;
  return {
    name: 'addLeaves',
    parameters: 4,
    locals: ['i32', 'i32'],
    body: whileBelow(leaves, last, [
      [get(leaves), i32.load(), set(value), get(p), get(stride), i32.add, set(end)],
      repeatWhileBelow(p, end, [
        [get(p), get(p), f32x4.load(), get(value), f32x4.load(), f32x4.add, f32x4.store()],
        [advance(p, FOUR), advance(value, FOUR)],
      ]),
      advance(leaves, 4),
    ]),
  };
}

const MODULE = assemble([move(), addUp(), look(), addLeaves()]);

/** Numbers in the memory of the kernels, and their address. */
export interface Placed<Numbers> {
  at: number;
  values: Numbers;
}

type NumbersOver<Numbers> = new (memory: SharedArrayBuffer, at: number, length: number) => Numbers;

/** Memory for arrays of so many bytes in all, each of which begins at a whole four of f32, and the kernels that work on it. */
export class ClassMemory {
  readonly kernels: Compiled;
  readonly #buffer: SharedArrayBuffer;
  #next = 0;

  /** `arrays`: lengths of all that is to be taken, in numbers of four bytes. */
  constructor(arrays: readonly number[]) {
    const bytes = arrays.reduce((sum, length) => sum + inFours(length) * 4, 0);
    const pages = Math.max(1, Math.ceil(bytes / PAGE));
    const memory = createMemory(pages, pages);
    this.kernels = instantiate(MODULE, memory);
    this.#buffer = memory.buffer;
  }

  take<Numbers>(Kind: NumbersOver<Numbers>, length: number): Placed<Numbers> {
    const at = this.#next;
    this.#next += inFours(length) * 4;
    return { at, values: new Kind(this.#buffer, at, length) };
  }
}

/** The next whole four. */
export const inFours = (length: number): number => Math.ceil(length / 4) * 4;
