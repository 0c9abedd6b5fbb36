/**
 * Bits per character of held-out texts under a Witten-Bell n-gram model of order 5 (Witten and Bell, 1991); lower is
 * better (after Zhao et al., 2018).
 */

import { meanWithError } from '../../../numerics/moments.ts';
import type { ModelTable } from '../../models/model.ts';
import { bitsByOrder, buildAlphabet, buildTrie, childFinder } from '../../models/text/characterTrie.ts';
import { levelsByCount, present, textNamed } from '../columns.ts';
import { decilesOf } from '../fidelity/encodeTables.ts';
import type { Mean } from '../intervals.ts';

const ORDER = 5;

/** Maximum characters scored. */
const TESTED_CHARACTERS = 50_000;

export interface Cost {
  /** Per text, including its end. */
  bits: Float64Array;
  characters: Float64Array;
}

/** Undefined without training or test texts. */
export function costOf(train: readonly string[], test: readonly string[]): Cost | undefined {
  if (train.length === 0 || test.length === 0) return undefined;
  // A joint alphabet, so that no test character is free.
  const { characters, encode } = buildAlphabet([...train, ...test].sort());
  const trie = buildTrie(train.map(encode), characters.length + 1, ORDER);
  const childOf = childFinder(trie);
  let left = TESTED_CHARACTERS;
  const paid = test.map(encode).filter((text) => {
    left -= text.length;
    return left >= 0;
  });
  const lengths = Float64Array.from(paid, (text) => text.length + 1);
  const bits = Float64Array.from(paid, (text, at) => bitsByOrder(trie, childOf, [text]).at(-1)! * lengths[at]!);
  return paid.length > 0 ? { bits, characters: lengths } : undefined;
}

export const bitsPerCharacter = (cost: Cost): Mean => ratio(cost.bits, cost.characters);

export const costGap = (a: Cost, b: Cost): Mean =>
  ratio(
    a.bits.map((bits, at) => bits - b.bits[at]!),
    a.characters,
  );

function ratio(of: Float64Array, to: Float64Array): Mean {
  const n = of.length;
  const total = to.reduce((sum, value) => sum + value, 0);
  const mean = of.reduce((sum, value) => sum + value, 0) / total;
  const squares = of.reduce((sum, value, at) => sum + (value - mean * to[at]!) ** 2, 0);
  return { mean, error: n > 1 ? Math.sqrt((squares * n) / (n - 1)) / total : Number.NaN };
}

// Lexical coverage: share of words in held-out texts that occur in others.

interface Coverage {
  known: Float64Array;
  words: Float64Array;
}

export function coverageOf(texts: readonly string[], test: readonly string[]): Coverage {
  const vocabulary = new Set(texts.flatMap(wordsOf));
  const counted = test.map(wordsOf).filter((words) => words.length > 0);
  return {
    known: Float64Array.from(counted, (words) => words.filter((word) => vocabulary.has(word)).length),
    words: Float64Array.from(counted, (words) => words.length),
  };
}

/** NaN without words. */
export function shareKnown({ known, words }: Coverage): Mean {
  const total = words.reduce((sum, count) => sum + count, 0);
  const share = known.reduce((sum, count) => sum + count, 0) / total;
  const gaps = known.map((count, at) => (count - share * words[at]!) / (total / words.length));
  return { mean: share, error: meanWithError(gaps).error };
}

export function coverageGap(a: Coverage, b: Coverage): Mean {
  return shareKnown({ known: a.known.map((count, at) => count - b.known[at]!), words: a.words });
}

// Accuracy of predicting another column of held-out rows from text by naive Bayes (Maron, 1961; multinomial, smoothed
// by 1), or its fifth for numbers.

/** Maximum levels predicted. */
const MAX_LEVELS = 20;

/** Returns a class or -1. */
type ClassOf = (row: number) => number;

/** By the training rows, for all tables. */
export function classesOf(train: ModelTable, column: string): { count: number; of: (table: ModelTable) => ClassOf } {
  const own = train.columns.get(column);
  if (own?.kind === 'numeric') {
    const cuts = decilesOf(present(own.values)).filter((_, at, all) => all.length < 9 || at % 2 === 1);
    const of = (table: ModelTable): ClassOf => {
      const cells = table.columns.get(column);
      if (cells?.kind !== 'numeric') return () => -1;
      return (row) =>
        Number.isFinite(cells.values[row]!) ? cuts.filter((cut) => cut <= cells.values[row]!).length : -1;
    };
    return { count: cuts.length + 1, of };
  }
  if (own?.kind !== 'category') return { count: 0, of: () => () => -1 };
  const top = levelsByCount(own).slice(0, MAX_LEVELS);
  const classOf = new Map(top.map((level, at) => [level, at]));
  const of = (table: ModelTable): ClassOf => {
    const cells = table.columns.get(column);
    if (cells?.kind !== 'category') return () => -1;
    return (row) => classOf.get(cells.levels[cells.codes[row]!] ?? '') ?? -1;
  };
  return { count: top.length, of };
}

export const isText = (cell: string | null | undefined): cell is string =>
  cell !== null && cell !== undefined && cell !== '';

export interface Example {
  words: string[];
  kind: number;
}

export function examplesOf(
  table: ModelTable,
  text: string,
  classOf: ClassOf,
  rows: Int32Array,
  most: number,
): Example[] {
  const texts = textNamed(table, text);
  const out: Example[] = [];
  for (const row of rows) {
    const [cell, kind] = [texts[row], classOf(row)];
    if (out.length < most && kind >= 0 && isText(cell)) out.push({ words: wordsOf(cell), kind });
  }
  return out;
}

/** Undefined if training has fewer than two classes. */
export function guessRight(
  training: readonly Example[],
  queried: readonly Example[],
  kinds: number,
): Uint8Array | undefined {
  if (new Set(training.map(({ kind }) => kind)).size < 2 || queried.length === 0) return undefined;
  const perKind = new Float64Array(kinds);
  const wordsPerKind = new Float64Array(kinds);
  const counts = new Map<string, Float64Array>();
  for (const { words, kind } of training) {
    perKind[kind]!++;
    for (const word of words) {
      const own = counts.get(word) ?? new Float64Array(kinds);
      counts.set(word, own);
      own[kind]!++;
      wordsPerKind[kind]!++;
    }
  }
  return Uint8Array.from(queried, ({ words, kind }) => {
    const score = perKind.map((count) => Math.log(count));
    for (const word of words) {
      const own = counts.get(word);
      if (!own) continue;
      for (let k = 0; k < kinds; k++) score[k]! += Math.log((own[k]! + 1) / (wordsPerKind[k]! + counts.size));
    }
    return score.indexOf(Math.max(...score)) === kind ? 1 : 0;
  });
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
