/**
 * WebAssembly QuickScorer (Lucchese et al. 2015; Ye et al. 2018): splits that send a row right remove leaves on their
 * left, and the row's is the first remaining.
 */
import {
  advance,
  type Code,
  either,
  type FunctionCode,
  f32x4,
  get,
  i8x16,
  i16x8,
  i32,
  i32x4,
  repeatWhileBelow,
  set,
  tee,
  v128,
  whileBelow,
  whileSet,
} from '../wasm/assemble.ts';
import { SIZE } from '../wasm/placeArrays.ts';

/** Rows per pass. */
export const TOGETHER = 16;
/** Leaves per word, one bit each. */
export const WORD = 32;
/** Bytes per split: feature offset, test, leaves on its left, tables. */
export const SPLIT = 16;

/**
 * Writes a word's remaining leaves to bits[row]. Rows have one byte per feature. Number splits have no tables; level
 * splits have byte tables (255 goes right) that end at their test.
 */
export function findLeaves(): FunctionCode {
  const [splits, lastSplit, block, lastRow, bits, split, table, tableEnd, cell, right] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
  ] as const;
  const stay = [10, 11, 12, 13] as const;
  const ofLevel: Code = [
    [get(split), i32.load(4), set(tableEnd), i8x16.constant(0), set(right)],
    repeatWhileBelow(table, tableEnd, [
      [get(table), i8x16.load(), get(cell), i8x16.swizzle, get(right), v128.or, set(right)],
      [get(cell), i8x16.constant(TOGETHER), i8x16.sub, set(cell)],
      advance(table, TOGETHER),
    ]),
  ];
  const ofNumber: Code = [get(cell), get(split), i32.load(4), i8x16.splat, i8x16.moreThan, set(right)];
  const halves = [i16x8.fromLow, i16x8.fromHigh].flatMap((half) =>
    [i32x4.fromLow, i32x4.fromHigh].map((quarter): Code => [get(right), half, quarter]),
  );
  const take = stay.map(
    (own, i): Code => [[get(own), halves[i]!, get(split), i32x4.loadSplat(8), v128.and, v128.andNot, set(own)]],
  );
  return {
    name: 'findLeaves',
    parameters: 5,
    locals: ['i32', 'i32', 'i32', 'v128', 'v128', 'v128', 'v128', 'v128', 'v128'],
    body: whileBelow(block, lastRow, [
      [get(splits), set(split), stay.map((own) => [i8x16.constant(0xff), set(own)])],
      whileBelow(split, lastSplit, [
        [get(block), get(split), i32.load(), i32.add, i8x16.load(), set(cell)],
        [get(split), i32.load(12), set(table)],
        either(table, ofLevel, ofNumber),
        take,
        advance(split, SPLIT),
      ]),
      stay.map((own, i) => [get(bits), get(own), i32x4.store(i * TOGETHER)]),
      [advance(bits, TOGETHER * SIZE), advance(block, TOGETHER)],
    ]),
  };
}

/** sums[row, k] += v[k] of the row's leaf; `next`: bytes between words. */
export function addLeaves(): FunctionCode {
  const [bits, last, next, leaves, stride, own, word, leaf, found, isNone, end] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
  ] as const;
  const look: Code = [get(word), i32.load(), tee(found), i32.isZero, set(isNone)];
  return {
    name: 'addLeaves',
    parameters: 6,
    locals: ['i32', 'i32', 'i32', 'i32', 'i32'],
    body: whileBelow(bits, last, [
      [get(bits), set(word), get(leaves), set(leaf), look],
      whileSet(isNone, [
        [get(word), get(next), i32.add, set(word)],
        [get(leaf), get(stride), i32.constant(WORD), i32.mul, i32.add, set(leaf)],
        look,
      ]),
      [get(found), i32.trailingZeros, get(stride), i32.mul, get(leaf), i32.add, set(leaf)],
      [get(own), get(stride), i32.add, set(end)],
      repeatWhileBelow(own, end, [
        [get(own), get(own), f32x4.load(), get(leaf), f32x4.load(), f32x4.add, f32x4.store()],
        [advance(own, TOGETHER), advance(leaf, TOGETHER)],
      ]),
      advance(bits, SIZE),
    ]),
  };
}
