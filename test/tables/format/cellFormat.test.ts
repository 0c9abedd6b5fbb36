import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CellFormat } from '../../../packages/contract/columns.ts';
import { formatCell, inferCellFormat, parseCell } from '../../../packages/tables/format/cellFormat.ts';

const DAYS = Array.from({ length: 20 }, (_, i) => String(20_240_301 + i));

describe('inferCellFormat', () => {
  it.each<[string, string[], number[]]>([
    ['digits in groups', ['1,204', '999', '12,345,678'], [1204, 999, 12_345_678]],
    ['percent', ['12 %', '3.5 %', '100 %'], [12, 3.5, 100]],
    ['dollars', ['$3.50', '$1,204.00', '-$2.00'], [3.5, 1204, -2]],
    ['decimal commas and points between groups', ['1.204,50', '3,20', '999,00'], [1204.5, 3.2, 999]],
    ['decimal commas alone', ['3,5', '12345,25', '2'], [3.5, 12_345.25, 2]],
    ['parentheses around negative numbers', ['(12)', '5', '(7)', '100'], [-12, 5, -7, 100]],
    ['parentheses around dollars', ['($12.50)', '$3.00'], [-12.5, 3]],
    ['euros in groups', ['€ 1.204', '€ 12', '€ 3.400.000'], [1204, 12, 3_400_000]],
    ['apostrophes', ["1'204.50", '3.00'], [1204.5, 3]],
    ['spaces that do not break', ['1\u202f204,5', '3,5'], [1204.5, 3.5]],
    ['one unit', ['12 kg', '3 kg'], [12, 3]],
    ['a minus behind', ['12-', '5'], [-12, 5]],
    ['the minus of typesetters', ['−12', '5'], [-12, 5]],
    ['a plus', ['+3', '-2', '+10'], [3, -2, 10]],
    ['leading zeros of one width', ['00123', '04567', '99999'], [123, 4567, 99_999]],
    ['a comma that cannot be a group', ['0,123', '1,500'], [0.123, 1.5]],
    ['month and year', ['Nov-17', 'May-18', 'Jan-20'], [574, 580, 600]],
    ['days', ['2024-03-20', '2024-12-01'], [19_802, 20_058]],
    ['days with a clock that stands still', ['2024-03-20 00:00:00', '2024-03-21 00:00:00'], [19_802, 19_803]],
    ['clocks to the minute', ['2/24/2015 11:35', '12/1/2015 9:05'], [23_746_295, 24_149_345]],
    ['a zone', ['2024-03-20T11:35:01+01:00', '1970-01-01T00:00:01+01:00'], [1_710_934_501, 1]],
    ['microseconds', ['1970-01-01 00:00:00.123456', '1970-01-01 00:00:01.999001'], [123.456, 1999.001]],
    ['day before month', ['24/02/2015', '01/12/2015'], [16_490, 16_770]],
    ['points in dates', ['24.02.2015', '01.03.2015'], [16_490, 16_495]],
    ['two digits of the year', ['24-Dec-20', '05-Jan-21'], [18_620, 18_632]],
    ['long names of months', ['March 5, 2021', 'May 24, 2020', 'December 1, 2020'], [18_691, 18_406, 18_597]],
    ['days and short names', ['5 Mar 2021', '24 Dec 2020'], [18_691, 18_620]],
    ['halves of the day', ['3/20/2024 11:35 PM', '4/1/2024 12:05 AM'], [28_516_295, 28_532_165]],
    [
      'days of the week',
      ['Fri, 5 Mar 2021 10:00:00 GMT', 'Sat, 6 Mar 2021 11:30:30 GMT'],
      [1_614_938_400, 1_615_030_230],
    ],
    [
      'the form of tweets',
      ['Tue Feb 24 11:35:52 -0800 2015', 'Wed Feb 25 11:35:52 -0800 2015'],
      [1_424_777_752, 1_424_864_152],
    ],
    ['year and month', ['2017-11', '2018-02'], [574, 577]],
    ['times of day', ['11:35', '09:59'], [695, 599]],
    ['dates as numbers', DAYS, DAYS.map((_, i) => 19_783 + i)],
    [
      'months as their first days',
      Array.from({ length: 12 }, (_, i) => `2000-${String(i + 1).padStart(2, '0')}-01`),
      Array.from({ length: 12 }, (_, i) => 360 + i),
    ],
  ])('understands %s and writes them as they came', (_, texts, values) => {
    const format = inferCellFormat(texts);
    expect(format && texts.map((text) => parseCell(text, format))).toEqual(values);
    expect(format && values.map((value) => formatCell(value, format))).toEqual(texts);
  });

  it.each([
    ['words', ['red', 'green']],
    ['codes', ['A/5 21171', 'B57']],
    ['fractions', ['1/2', '3/4']],
    ['versions', ['1.2.3', '10.0.1']],
    ['scores', ['3-1', '0-0']],
    ['several units', ['12 kg', '5 lb', '300 g']],
    ['days that no calendar has', ['2024-02-30', '2024-02-31']],
    ['telephone numbers', ['555-1234', '555-9876']],
    ['nothing at all', []],
  ])('finds none in %s', (_, texts) => {
    expect(inferCellFormat(texts)).toBeUndefined();
  });

  it('counts times of several zones by one clock', () => {
    const format = inferCellFormat(['2024-03-20T11:35:00Z', '2024-03-20T12:35:00+01:00', '2024-03-20T13:00:00Z']);
    const [first, second] = ['2024-03-20T11:35:00Z', '2024-03-20T12:35:00+01:00'].map(
      (text) => format && parseCell(text, format),
    );
    expect(first).toBe(second);
  });

  it('keeps within what the column has', () => {
    const format = inferCellFormat(['$1.00', '$5.00']);
    expect(format && [formatCell(-3, format), formatCell(9, format), formatCell(Number.NaN, format)]).toEqual([
      '$1.00',
      '$5.00',
      '',
    ]);
    const day = inferCellFormat(['2024-03-20', '2024-03-29']);
    expect(day && [formatCell(0, day), formatCell(19_805.4, day), formatCell(Number.NaN, day)]).toEqual([
      '2024-03-20',
      '2024-03-23',
      '',
    ]);
  });
});

const BOUNDS = { integer: false, decimals: 2, fixed: true, min: -1e9, max: 1e9 };
const decorated = fc.record({
  kind: fc.constant('decorated' as const),
  around: fc.constantFrom(['', ''], ['$', ''], ['€ ', ''], ['', ' %'], ['', ' kg'], ['', ' €'], ['USD ', '']),
  separators: fc.constantFrom(['', '.'], [',', '.'], ['.', ','], [' ', ','], ['\u202f', ','], ["'", '.'], ['', ',']),
  negative: fc.constantFrom('minus' as const, 'typographic' as const, 'parentheses' as const, 'trailing' as const),
  signOutside: fc.boolean(),
  plus: fc.boolean(),
});

describe('what was understood', () => {
  it('is written as it came, for numbers in any format', () => {
    fc.assert(
      fc.property(
        decorated,
        fc.array(fc.integer({ min: -10_000_000, max: 10_000_000 }), { minLength: 3, maxLength: 30 }),
        (parts, cents) => {
          const { around, separators, ...rest } = parts;
          const worn: CellFormat = {
            ...rest,
            prefix: around[0] ?? '',
            suffix: around[1] ?? '',
            thousands: separators[0] ?? '',
            decimal: separators[1] === ',' ? ',' : '.',
            width: 0,
            percent: around[1] === ' %',
            format: BOUNDS,
          };
          const texts = [...new Set(cents.map((value) => formatCell(value / 100, worn)))];
          expect(texts.map((text) => parseCell(text, worn))).toEqual([...new Set(cents)].map((value) => value / 100));
          const inferred = inferCellFormat(texts);
          expect(
            inferred && texts.map((text) => formatCell(parseCell(text, inferred) ?? Number.NaN, inferred)),
          ).toEqual(texts);
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each([
    'YYYY-MM-DD',
    'YYYY/MM/DD',
    'YYYY.MM.DD',
    'MM/DD/YYYY',
    'DD/MM/YYYY',
    'DD.MM.YYYY',
    'D.M.YYYY',
    'M/D/YYYY',
    'M/D/YY',
    'DD-MM-YYYY',
    'DD-Mon-YY',
    'D Month YYYY',
    'Month D, YYYY',
    'Mon D YYYY',
    'Wkd, DD Mon YYYY',
    'MON-YY',
    'Mon-YY',
    'YYYY-MM',
    'MM/YYYY',
    'YYYYMMDD',
    'YYYYMMDDhhmmss',
    'YYYY-MM-DD hh:mm',
    'YYYY-MM-DD hh:mm:ss',
    'YYYY-MM-DDThh:mm:ssZ',
    'YYYY-MM-DD hh:mm:ss.SSS',
    'M/D/YYYY h:mm',
    'DD.MM.YYYY hh:mm',
    'MM/DD/YYYY HH:mm:ss AM',
    'M/D/YYYY H:mm AM',
    'hh:mm:ss',
  ])('is written as it came, for times of the form %s', (pattern) => {
    const format = { integer: true, decimals: 0, fixed: false, min: Date.UTC(1970, 0, 1), max: Date.UTC(2060, 0, 1) };
    const worn: CellFormat = {
      kind: 'time',
      pattern,
      unit: 'millisecond',
      zone: pattern.includes('Z') ? '+02:00' : null,
      format,
    };
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: format.min, max: format.max }), {
          minLength: 12,
          maxLength: 40,
          selector: (time) => Math.floor(time / 86_400_000),
        }),
        (times) => {
          const texts = [...new Set(times.map((time) => formatCell(time, worn)))];
          const inferred = inferCellFormat(texts);
          expect(inferred?.kind).toBe('time');
          expect(
            inferred && texts.map((text) => formatCell(parseCell(text, inferred) ?? Number.NaN, inferred)),
          ).toEqual(texts);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('columns that are not written in one way alone', () => {
  const back = (texts: readonly string[], value: number): string => {
    const format = inferCellFormat(texts);
    return format ? formatCell(value, format) : 'no format';
  };

  it('have groups where most numbers of four digits have them', () => {
    const mostly = ['1,204', '2,305', '3417', '512', '9,999,999'];
    expect(mostly.map((text) => parseCell(text, inferCellFormat(mostly)!))).toEqual([1204, 2305, 3417, 512, 9_999_999]);
    expect(back(mostly, 4711)).toBe('4,711');
    const seldom = ['1204', '2305', '3417', '512', '9,999,999'];
    expect(seldom.map((text) => parseCell(text, inferCellFormat(seldom)!))).toEqual([1204, 2305, 3417, 512, 9_999_999]);
    expect(back(seldom, 4711)).toBe('4711');
  });

  it('are read with and without groups where hardly any has them', () => {
    const texts = [...Array.from({ length: 100 }, (_, i) => String(950 + i)), '1,204'];
    const format = inferCellFormat(texts)!;
    expect(texts.map((text) => parseCell(text, format))).toEqual([
      ...Array.from({ length: 100 }, (_, i) => 950 + i),
      1204,
    ]);
    expect([formatCell(1204, format), formatCell(999, format)]).toEqual(['1204', '999']);
  });

  it('have all decimals or none, if money has', () => {
    const texts = ['$3', '$3.50', '$12', '$1,204.25'];
    expect(texts.map((text) => formatCell(parseCell(text, inferCellFormat(texts)!)!, inferCellFormat(texts)!))).toEqual(
      texts,
    );
    expect([back(texts, 7.1), back(texts, 8), back(texts, 3.999)]).toEqual(['$7.10', '$8', '$4']);
    expect(back(['3', '0.25', '1.75'], 0.5)).toBe('0.5');
    expect(back(['0.5', '0.25', '1.50'], 0.5)).toBe('0.5');
  });
});
