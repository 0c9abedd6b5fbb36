/**
 * Agreement of a text with its row: how often another column of a held-out row is guessed right from the text, by a naive
 * Bayes classifier of its words (Maron, 1961; multinomial, smoothed by 1) that learnt from a table's rows. Beside one that
 * learnt from as many training rows. Numbers are guessed as the fifth of the training rows' distribution they lie in.
 */
import type { ModelTable } from '../../models/model.ts';
import { present, textNamed } from '../columns.ts';
import { decilesOf } from '../fidelity/encodeTables.ts';
import { isText } from './textSides.ts';
import { wordsOf } from './words.ts';

/** Levels that are guessed, at most: the most frequent of the training rows. */
const MOST_LEVELS = 20;

/** Gives a row's class, or -1. */
export type ClassOf = (row: number) => number;

/** Classes of a column, by the training rows: the same for every table. */
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
  const counts = new Map<number, number>();
  for (const code of own.codes) if (code >= 0) counts.set(code, (counts.get(code) ?? 0) + 1);
  const top = [...counts].sort(([a, m], [b, n]) => n - m || a - b).slice(0, MOST_LEVELS);
  const classOf = new Map(top.map(([code], at) => [own.levels[code]!, at]));
  const of = (table: ModelTable): ClassOf => {
    const cells = table.columns.get(column);
    if (cells?.kind !== 'category') return () => -1;
    return (row) => classOf.get(cells.levels[cells.codes[row]!] ?? '') ?? -1;
  };
  return { count: top.length, of };
}

export interface Example {
  words: string[];
  kind: number;
}

/** Rows that have a text and a class, at most `most` of them, in the order given. */
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

/** Whether each example is guessed right by what was learnt from others; undefined where those have one class at most. */
export function guessRight(
  learnt: readonly Example[],
  asked: readonly Example[],
  kinds: number,
): Uint8Array | undefined {
  if (new Set(learnt.map(({ kind }) => kind)).size < 2 || asked.length === 0) return undefined;
  const perKind = new Float64Array(kinds);
  const wordsPerKind = new Float64Array(kinds);
  const counts = new Map<string, Float64Array>();
  for (const { words, kind } of learnt) {
    perKind[kind]!++;
    for (const word of words) {
      const own = counts.get(word) ?? new Float64Array(kinds);
      counts.set(word, own);
      own[kind]!++;
      wordsPerKind[kind]!++;
    }
  }
  return Uint8Array.from(asked, ({ words, kind }) => {
    const score = perKind.map((count) => Math.log(count));
    for (const word of words) {
      const own = counts.get(word);
      if (!own) continue;
      for (let k = 0; k < kinds; k++) score[k]! += Math.log((own[k]! + 1) / (wordsPerKind[k]! + counts.size));
    }
    return score.indexOf(Math.max(...score)) === kind ? 1 : 0;
  });
}
