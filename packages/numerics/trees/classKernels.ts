/**
 * WebAssembly kernels on f32 classes, padded with zeros to fours: `stride` bytes per row. Other arguments are pointers.
 */
import {
  advance,
  assemble,
  type Code,
  type FunctionCode,
  f32,
  f32x4,
  get,
  i32,
  i32x4,
  repeatWhileBelow,
  set,
  tee,
  whileBelow,
} from '../wasm/assemble.ts';

const FOUR = 16;
export const DIRECTIONS = 3;

const rowOf = (rows: number, p: number, stride: number, [at, end]: readonly [number, number]): Code => [
  [get(rows), i32.load(), get(stride), i32.mul, get(p), i32.add, tee(at)],
  [get(stride), i32.add, set(end)],
];

const sumOf = (four: number): Code => [
  [get(four), f32x4.lane(0), get(four), f32x4.lane(1), f32.add],
  [get(four), f32x4.lane(2), get(four), f32x4.lane(3), f32.add, f32.add],
];

/** p[row, k] = p[row, k] f[k] / Σ p[row, j] f[j]. */
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
      [f32.constant(1), sumOf(sum), f32.div, f32x4.splat, set(sum)],
      rowOf(rows, p, stride, [at, end]),
      repeatWhileBelow(at, end, [
        [get(at), get(at), f32x4.load(), get(sum), f32x4.mul, f32x4.store()],
        advance(at, FOUR),
      ]),
      advance(rows, 4),
    ]),
  };
}

/** out[k] += Σ p[row, k]. */
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
 * out[row, s] = Σ_k p[row, k] d[k, s] - d[own class, s], interleaved by fours of classes; `places`: offset of each
 * row's class.
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

/** e^r, |r| ≤ ½ ln 2, from the highest power (Cephes expf, relative error 2e-7). */
const EXPONENTIAL = [1.98756915e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 0.5, 1, 1];
/** The first part has few digits. */
const LN2 = [0.693359375, -2.1219444e-4] as const;
/** Lower exponents underflow in f32. */
const LEAST = -87;
const BIAS = 127;
const MANTISSA = 23;

/** e^x of four nonpositive values; overwrites `x` and `power`. */
function exponential(x: number, power: number): Code {
  const all = (value: number): Code => [f32.constant(value), f32x4.splat];
  const [first, ...others] = EXPONENTIAL.map(all);
  return [
    [all(LEAST), f32x4.max, tee(x), all(Math.LOG2E), f32x4.mul, f32x4.nearest, set(power)],
    LN2.map((part): Code => [get(x), get(power), all(part), f32x4.mul, f32x4.sub, set(x)]),
    [first!, others.map((own): Code => [get(x), f32x4.mul, own, f32x4.add])],
    [get(power), f32x4.toIntegers, i32.constant(BIAS), i32x4.splat, i32x4.add, i32.constant(MANTISSA)],
    [i32x4.shiftLeft, f32x4.mul],
  ];
}

/** p[i, k] = e^(p[i, k] + base[k] - m), m the row's maximum. */
export function exponentiate(): FunctionCode {
  const [p, last, stride, base, at, end, log, most, x, power] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
  const eachFour = (body: Code): Code => [[get(p), set(at)], repeatWhileBelow(at, end, [body, advance(at, FOUR)])];
  const lanes = ([0, 1, 2, 3] as const).map((lane): Code => [get(most), f32x4.lane(lane)]);
  return {
    name: 'exponentiate',
    parameters: 4,
    locals: ['i32', 'i32', 'i32', 'v128', 'v128', 'v128'],
    body: whileBelow(p, last, [
      [get(p), get(stride), i32.add, set(end)],
      [get(base), set(log), get(p), f32x4.load(), get(base), f32x4.load(), f32x4.add, set(most)],
      eachFour([
        [get(at), get(at), f32x4.load(), get(log), f32x4.load(), f32x4.add, tee(x), f32x4.store()],
        [get(most), get(x), f32x4.max, set(most), advance(log, FOUR)],
      ]),
      [lanes[0]!, lanes[1]!, f32.max, lanes[2]!, lanes[3]!, f32.max, f32.max, f32x4.splat, set(most)],
      eachFour([get(at), get(at), f32x4.load(), get(most), f32x4.sub, exponential(x, power), f32x4.store()]),
      [get(end), set(p)],
    ]),
  };
}

export const CLASS_KERNELS = assemble([move(), addUp(), look()]);

export const inFours = (length: number): number => Math.ceil(length / 4) * 4;
