/** Rows as tokens: conditions, then each text between its column's marker and END. */
import { type ModelTable, textColumn } from '../model.ts';
import type { ConditionScores } from './network/slopes.ts';
import type { Sequence } from './network/trainingProgram.ts';
import {
  fitPrefixColumn,
  informationAbout,
  type PrefixColumn,
  prefixTokenReader,
  prefixWords,
  tokenScores,
  tokensOf,
} from './prefixes.ts';
import { END, type Vocabulary } from './tokens/vocabulary.ts';

const MAX_CONDITIONS = 10;
const TOKENS_A_ROW = 1_000;

export interface RowForm {
  conditions: readonly PrefixColumn[];
  columns: readonly string[];
}

export const conditionRows = ({ conditions, columns }: RowForm): number =>
  conditions.reduce((sum, one) => sum + tokensOf(one), columns.length);

/**
 * Returns each condition's distance from the middle of each number.
 * @param ordered scores of ordered levels, by column.
 */
export function conditionScores(
  { conditions, columns }: RowForm,
  ordered: ReadonlyMap<string, ReadonlyMap<string, number>>,
): ConditionScores {
  const numbers = conditions.filter(({ kind, name }) => kind === 'bins' || ordered.has(name));
  const none = numbers.map(() => 0);
  const rows = conditions.flatMap((one) =>
    tokenScores(one, ordered.get(one.name)).map((score) => numbers.map((number) => (number === one ? score : 0))),
  );
  return { numbers: numbers.length, scores: Float32Array.from([...rows, ...columns.map(() => none)].flat()) };
}

export const conditionRowWords = ({ conditions, columns }: RowForm): string[] => [
  ...conditions.flatMap(prefixWords),
  ...columns.map((name) => ` ${name}:`),
];

export function joinedTexts(table: ModelTable, columns: readonly string[]): string[] {
  const cells = columns.map((name) => textColumn(table, name).values);
  return Array.from({ length: table.rows }, (_, row) => cells.flatMap((values) => values[row] || []).join(' '));
}

/** Puts the most informative columns, then `last`, nearest to the texts. */
export function fitForm(
  table: ModelTable,
  given: readonly string[],
  columns: readonly string[],
  last: readonly string[] = [],
): RowForm {
  const texts = joinedTexts(table, columns);
  const candidates = given.flatMap((name) => {
    const column = table.columns.get(name);
    if (!column || (column.kind === 'category' && column.indicator)) return [];
    const condition = fitPrefixColumn(column);
    if (!condition) return [];
    const reader = prefixTokenReader(condition, table);
    return [
      {
        condition,
        information: informationAbout(
          texts.map((_, row) => reader(row)),
          texts,
        ),
      },
    ];
  });
  const informative = candidates.filter((one) => one.information > 0).sort((a, b) => b.information - a.information);
  const conditions = informative.slice(0, MAX_CONDITIONS).map(({ condition }) => condition);
  const always = last.flatMap((name) => fitPrefixColumn(table.columns.get(name)!) ?? []);
  return { conditions: [...conditions.toReversed(), ...always], columns };
}

export function prefixReader(form: RowForm, pieces: number, table: ModelTable): (row: number) => number[] {
  let at = pieces;
  const readers = form.conditions.map((condition) => {
    const first = at;
    at += tokensOf(condition);
    const read = prefixTokenReader(condition, table);
    return (row: number): number => first + read(row);
  });
  return (row) => readers.map((read) => read(row));
}

export function markersOf(form: RowForm, pieces: number): number[] {
  const first = pieces + conditionRows(form) - form.columns.length;
  return form.columns.map((_, k) => first + k);
}

export interface RowSequence extends Sequence {
  row: number;
  /** Start of each text, and its characters including END; null if missing. */
  texts: ({ from: number; characters: number } | null)[];
}

/** Omits rows without text; truncates long texts. */
export function rowSequences(table: ModelTable, form: RowForm, vocabulary: Vocabulary): RowSequence[] {
  const pieces = vocabulary.pieces.length;
  const prefix = prefixReader(form, pieces, table);
  const markers = markersOf(form, pieces);
  const cells = form.columns.map((name) => textColumn(table, name).values);
  const room = Math.floor(TOKENS_A_ROW / form.columns.length);
  const out: RowSequence[] = [];
  for (let row = 0; row < table.rows; row++) {
    const tokens = prefix(row);
    const isWritten = tokens.map(() => 0);
    const texts = cells.map((values, k) => {
      const text = values[row];
      if (text === null || text === undefined || text === '') return null;
      const own = vocabulary.encode(text.slice(0, LONGEST_READ)).slice(0, room);
      const from = tokens.length + 1;
      tokens.push(markers[k]!, ...own, END);
      isWritten.push(0, ...own.map(() => 1), 1);
      return { from, characters: charactersOf(own, vocabulary) + 1 };
    });
    if (texts.every((text) => text === null)) continue;
    out.push({ row, tokens: Int32Array.from(tokens), isWritten: Uint8Array.from(isWritten), texts });
  }
  return out;
}

const LONGEST_READ = 20_000;

/** Counts bytes that do not continue a code point. */
function charactersOf(tokens: readonly number[], { bytes }: Vocabulary): number {
  let count = 0;
  for (const token of tokens) for (const byte of bytes[token]!) if ((byte & 0xc0) !== 0x80) count++;
  return count;
}
