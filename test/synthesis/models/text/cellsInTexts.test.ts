import { describe, expect, test } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import type { ModelColumn, TextColumn } from '../../../../packages/synthesis/models/model.ts';
import {
  cellsInTextsSchema,
  findCellsInTexts,
  writeCellsInTexts,
} from '../../../../packages/synthesis/models/text/cellsInTexts.ts';

const GIVEN = ['Ada', 'Ben', 'Cleo', 'Dora', 'Emil', 'Fred', 'Gina', 'Hugo'];
const FAMILY = ['Bell', 'Cole', 'Dahl', 'Eide', 'Falk', 'Grey', 'Holm', 'Ives', 'Jahn'];
const ROWS = 400;

const text = (name: string, values: (string | null)[]): TextColumn => ({ kind: 'text', name, values });
const cells = (of: readonly string[], step: number, shift = 0): string[] =>
  Array.from({ length: ROWS }, (_, i) => of[Math.floor(i / step + shift) % of.length]!);

const given = text('given', cells(GIVEN, 1));
const family: ModelColumn = {
  kind: 'category',
  name: 'family',
  levels: FAMILY,
  codes: Int32Array.from({ length: ROWS }, (_, i) => Math.floor(i / 7) % FAMILY.length),
};
const familyOf = (row: number): string => FAMILY[family.codes[row]!]!;

describe('cells of the row in texts', () => {
  test('texts are put together from the cells of their own rows, digits in the places of digits', () => {
    const labels = Array.from({ length: ROWS }, (_, i) =>
      i % 4 === 0 ? `${familyOf(i)}, ${given.values[i]} (no. ${1000 + i})` : `${given.values[i]} ${familyOf(i)}`,
    );
    const fitted = findCellsInTexts(labels, [given, family]);
    expect(fitted?.columns.toSorted()).toEqual(['family', 'given']);
    const restored = cellsInTextsSchema.parse(JSON.parse(JSON.stringify(fitted)));
    const made = {
      rows: 3,
      columns: new Map<string, ModelColumn>([
        ['given', text('given', ['Xenia', 'Yves', null])],
        ['family', text('family', ['Zorn', 'Aas', 'Moe'])],
      ]),
    };
    const forms = [/^Xenia Zorn$|^Zorn, Xenia \(no\. 1\d{3}\)$/, /^Yves Aas$|^Aas, Yves \(no\. 1\d{3}\)$/];
    for (let seed = 0; seed < 20; seed++) {
      const written = writeCellsInTexts(restored, made, createStream(seed, 'texts'), () => true);
      forms.forEach((form, row) => {
        expect(written[row]).toMatch(form);
      });
      expect(written[2]).toBeNull();
    }
  });

  test('a text that may not stand is written again, and left out where there is no other', () => {
    const labels = Array.from({ length: ROWS }, (_, i) => `${given.values[i]} ${familyOf(i)}`);
    const fitted = findCellsInTexts(labels, [given, family])!;
    const made = {
      rows: 1,
      columns: new Map<string, ModelColumn>([
        ['given', given],
        ['family', family],
      ]),
    };
    expect(writeCellsInTexts(fitted, made, createStream(1, 'texts'), () => false)).toEqual([null]);
  });

  test('nothing is seen where texts hold cells of other rows as often, or much besides', () => {
    const strangers = Array.from({ length: ROWS }, (_, i) => `${GIVEN[(i * 7 + 3) % 8]} ${FAMILY[(i * 5 + 1) % 9]}`);
    expect(findCellsInTexts(strangers, [given, family])).toBeUndefined();
    const letters = (i: number): string =>
      [i % 26, Math.floor(i / 26), (i * i) % 26].map((at) => 'abcdefghijklmnopqrstuvwxyz'[at]).join('');
    const prose = Array.from({ length: ROWS }, (_, i) => `${given.values[i]} said ${letters(i)}`);
    expect(findCellsInTexts(prose, [given])).toBeUndefined();
    const constant = text('kind', Array(ROWS).fill('Road'));
    expect(
      findCellsInTexts(
        Array.from({ length: ROWS }, (_, i) => `Road ${i}`),
        [constant],
      ),
    ).toBeUndefined();
  });

  test('a form of fewer than five owners is not kept', () => {
    const owners = Int32Array.from({ length: ROWS }, (_, i) => (i < 40 ? 0 : i));
    const labels = Array.from({ length: ROWS }, (_, i) => `${given.values[i]}${i < 40 ? ' the Great' : ' Bell'}`);
    const forms = (of?: Int32Array): string[] => findCellsInTexts(labels, [given], of)!.forms.map(({ form }) => form);
    expect(forms()).toHaveLength(2);
    expect(forms(owners)).toHaveLength(1);
    expect(forms(owners)[0]).toContain('Bell');
  });
});
