import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { detectColumn } from '../../../packages/tables/detect/detectColumn.ts';
import { isMissing } from '../../../packages/tables/missing.ts';
import { DistinctCounter, SlotBudget } from '../../../packages/tables/profile/distinctCounter.ts';
import { QuantileSketch } from '../../../packages/tables/profile/quantileSketch.ts';
import { ColumnSummariser } from '../../../packages/tables/profile/summariseColumn.ts';

function detect(cells: readonly string[], name = 'c') {
  const sketch = new QuantileSketch(1000, createStream(1, 'q'));
  const column = new ColumnSummariser(name, {
    mostLevels: 1000,
    distinct: new DistinctCounter(new SlotBudget()),
    sketch,
  });
  column.add(
    cells.map((cell) => [cell]),
    0,
  );
  return detectColumn(
    column.summary(),
    cells.map((cell) => (isMissing(cell) ? null : cell)),
  );
}

const many = (count: number, cell: (i: number) => string | number) =>
  Array.from({ length: count }, (_, i) => String(cell(i)));
const spread = (i: number, size: number) => (i * 7919) % size;

describe('detectColumn', () => {
  it.each([
    ['decimals', many(100, (i) => spread(i, 977) / 10)],
    ['whole numbers that repeat', many(200, (i) => 20 + spread(i, 61))],
    ['counts from 0 on', many(300, (i) => [0, 0, 0, 0, 0, 1, 1, 1, 2, 3][spread(i, 10)] ?? 0)],
    ['unique decimals', many(100, (i) => 59 + i / 1000)],
    ['unique whole numbers of several lengths', many(100, (i) => 1000 + i * i * 7)],
    ['years', many(60, (i) => 1960 + i)],
    ['three numbers in three rows', ['1', '2', '3']],
    ['two numbers in two rows', ['5', '9']],
    ['numbers with a few strays', many(100, (i) => (i === 7 ? '?' : i * 1.5))],
    ['scores that are no codes', many(300, (i) => 84 + spread(i, 15))],
  ])('takes %s for continuous', (_, cells) => {
    expect(detect(cells)).toMatchObject({ kind: 'continuous', suggested_role: 'continuous' });
  });

  it.each([
    ['texts that repeat', many(100, (i) => ['red', 'green', 'blue'][i % 3] ?? '')],
    ['truth values', many(40, (i) => (i % 3 ? 'TRUE' : 'FALSE'))],
    ['0 and 1', many(100, (i) => spread(i, 2))],
    ['two numbers', many(100, (i) => (i % 3 ? 36 : 60))],
    ['codes from 1 to 7', many(200, (i) => 1 + spread(i, 7))],
    [
      'codes from 0 to 4 with frequencies that do not fall off',
      many(300, (i) => [0, 1, 1, 2, 2, 2, 3, 4, 4, 4][spread(i, 10)] ?? 0),
    ],
    ['postcodes with leading zeros that repeat', many(200, (i) => `00${100 + spread(i, 40)}`)],
    ['one value', many(30, () => 'same')],
    ['one number', many(30, () => 7)],
    ['words in a handful of rows', ['M', 'F', 'M']],
    ['a short list of sentences', many(300, (i) => `This is sentence number ${i % 4} of the four that are there`)],
  ])('takes %s for categorical', (_, cells) => {
    expect(detect(cells)).toMatchObject({ kind: 'categorical', suggested_role: 'categorical' });
  });

  it.each([
    ['numbers that go up by one', many(30, (i) => i), 'c'],
    ['three of them under a name that says so', ['1', '2', '3'], 'PassengerId'],
    ['18-digit numbers', many(40, (i) => `5703061336777605${String(i).padStart(2, '0')}`), 'c'],
    ['numbers that repeat under a name that says so', many(500, (i) => 1000 + spread(i, 300)), 'host_id'],
    ['codes with leading zeros', many(50, (i) => String(spread(i, 9973)).padStart(5, '0')), 'c'],
    ['long numbers of one length', many(50, (i) => 10_000_000 + spread(i, 999_983)), 'c'],
    ['tickets', many(50, (i) => `A/5 ${21_000 + i}`), 'c'],
    ['UUIDs', many(50, (i) => `0b8e5c3a-7f1d-4e2a-9c44-${String(spread(i, 99_991)).padStart(12, '0')}`), 'c'],
    ['e-mail addresses', many(50, (i) => `person${i}@example.org`), 'c'],
    ['links', many(50, (i) => `https://example.org/${i}`), 'c'],
    ['words under a name that says so', many(25, (i) => `w${String.fromCharCode(97 + i)}x`), 'key'],
  ])('takes %s for an identifier', (_, cells, name) => {
    expect(detect(cells, name)).toMatchObject({ kind: 'identifier', suggested_role: 'categorical', top_levels: [] });
  });

  it.each([
    ['2024-03-20', '2024-12-01'],
    ['2024-03-20 11:35:00', '2024-03-21 00:00:00.123'],
    ['2024-03-20T11:35:00Z', '2024-03-20T11:35:00+01:00'],
    ['2/24/2015 11:35', '12/1/2015 9:05'],
    ['24/2/2015', '31/12/2015'],
    ['24.02.2015', '1.3.15'],
    ['Nov-17', 'Jan-20'],
    ['March 5, 2021', 'Dec 24, 2020'],
    ['5 March 2021', '24-Dec-20'],
    ['2017-11', '2018-02'],
    ['11:35', '23:59:59'],
    ['3/20/2024 11:35 PM', '4/1/2024 1:05 am'],
    ['Tue, 5 Mar 2021 10:00:00 GMT', 'Wed, 6 Mar 2021 10:00:00 +0000'],
  ])('takes %s for a date or time', (...forms) => {
    expect(detect(many(20, (i) => (i === 5 ? '' : (forms[i % 2] ?? ''))))).toMatchObject({ kind: 'datetime' });
  });

  it('takes numbers of the form YYYYMMDD for dates, and others of eight digits not', () => {
    expect(detect(many(30, (i) => 20_240_301 + (i % 28))).kind).toBe('datetime');
    expect(detect(many(30, (i) => 20_241_301 + (i % 28))).kind).not.toBe('datetime');
  });

  it('takes no fraction, version or score for a date', () => {
    for (const cells of [
      ['1/2', '3/4'],
      ['1.2.3', '10.0.1'],
      ['3-1', '0-0'],
      ['may', 'will'],
      ['2024', '1999'],
    ]) {
      expect(detect(many(20, (i) => cells[i % 2] ?? '')).kind).not.toBe('datetime');
    }
  });

  it.each([
    ['prose', many(60, (i) => `The ${i}th wine is ripe and round, with a long finish of ${spread(i, 97)} berries.`)],
    [
      'names',
      many(
        60,
        (i) =>
          `Mrs. Ab${String.fromCharCode(97 + (i % 26))} Cd${String.fromCharCode(97 + ((i * 7) % 26))}${'e'.repeat(1 + (i % 3))}`,
      ),
    ],
  ])('takes %s for text', (_, cells) => {
    expect(detect(cells)).toMatchObject({ kind: 'text', suggested_role: 'text', top_levels: [] });
  });

  it('takes a column without cells for empty', () => {
    expect(detect(['', 'NA', ' '])).toMatchObject({ kind: 'empty', suggested_role: 'ignore', confidence: 1 });
  });

  it('says why, with figures, and how sure it is', () => {
    const { evidence, confidence } = detect(many(100, (i) => (i % 10 === 0 ? 'NA' : 1 + (i % 3))));
    expect(evidence).toEqual([
      'only 3 whole numbers (1, 2 and 3) in 90 cells, like codes',
      '10 % of the cells are missing, mostly written "NA", the first in row 1',
    ]);
    expect(confidence).toBeGreaterThan(0);
    expect(confidence).toBeLessThan(1);
  });
});
