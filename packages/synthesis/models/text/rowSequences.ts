/** Rows as sequences: conditions, then each text behind the marker of its column, ended by END. */
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

/** Columns of a prefix, at most: each costs as much as a piece of text. */
const MAX_CONDITIONS = 10;
/** Tokens of all texts of a row, at most. */
const TOKENS_A_ROW = 1_000;

export interface RowForm {
  conditions: readonly PrefixColumn[];
  /** Columns of text, in their order. */
  columns: readonly string[];
}

/** Rows of the table of embeddings that a form needs behind the pieces. */
export const conditionRows = ({ conditions, columns }: RowForm): number =>
  conditions.reduce((sum, one) => sum + tokensOf(one), columns.length);

/**
 * How far each row of the table of conditions is from the middle of each number in a form.
 * @param ordered the scores of levels that are in an order, as lengths of texts are, by column and level.
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

/** In words, row by row of the table of conditions. */
export const conditionRowWords = ({ conditions, columns }: RowForm): string[] => [
  ...conditions.flatMap(prefixWords),
  ...columns.map((name) => ` ${name}:`),
];

/** All texts of each row, in one; empty where there is none. */
export function joinedTexts(table: ModelTable, columns: readonly string[]): string[] {
  const cells = columns.map((name) => textColumn(table, name).values);
  return Array.from({ length: table.rows }, (_, row) => cells.flatMap((values) => values[row] || []).join(' '));
}

/** The columns most informative of the texts stand in the prefix, the most informative nearest to them but for `last`. */
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

/** The prefix of each row of a table as tokens behind `pieces` pieces. */
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
  /** Where each text begins, and its characters with END; null where the cell is missing. */
  texts: ({ from: number; characters: number } | null)[];
}

/** The rows that have text. A text is cut where the row has no room for more. */
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

/** Characters of a text that are read, at most: more cannot fill its tokens. */
const LONGEST_READ = 20_000;

/** Code points: bytes that do not continue one. */
function charactersOf(tokens: readonly number[], { bytes }: Vocabulary): number {
  let count = 0;
  for (const token of tokens) for (const byte of bytes[token]!) if ((byte & 0xc0) !== 0x80) count++;
  return count;
}
