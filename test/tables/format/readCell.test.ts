import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CellFormat,
  type DecoratedFormat,
  NEGATIVES,
  type TimeFormat,
} from '../../../packages/contract/columns.ts';
import { plainText } from '../../../packages/tables/format/cellFormat.ts';
import { NumberScanner } from '../../../packages/tables/format/number.ts';
import { readerOf } from '../../../packages/tables/profile/readCells.ts';

const numbers = { integer: false, decimals: 2, fixed: false, min: -1e9, max: 1e9 };
const fields = (scanner: NumberScanner) => ({ ...scanner });

/** The slow way: made plain, then scanned. */
function expectSame(text: string, format: CellFormat): void {
  const [fast, slow] = [new NumberScanner(), new NumberScanner()];
  const plain = plainText(text, format);
  const isNumber = plain !== undefined && slow.scan(plain);
  expect([text, readerOf(format)(text, fast)]).toEqual([text, isNumber]);
  if (isNumber) expect(fields(fast)).toEqual(fields(slow));
}

describe('readerOf', () => {
  it('reads every text as the format makes it plain', () => {
    const formats = fc.record<DecoratedFormat>({
      kind: fc.constant('decorated'),
      prefix: fc.constantFrom('', '$', 'EUR '),
      suffix: fc.constantFrom('', ' %', 'kg', ' €'),
      thousands: fc.constantFrom('', ',', '.', ' ', "'"),
      decimal: fc.constantFrom('.', ','),
      negative: fc.constantFrom(...NEGATIVES),
      signOutside: fc.boolean(),
      plus: fc.boolean(),
      width: fc.constantFrom(0, 5),
      percent: fc.boolean(),
      format: fc.constant(numbers),
    });
    const pieces = fc.constantFrom(
      '1',
      '204',
      '0',
      '007',
      ',',
      '.',
      '-',
      '−',
      '+',
      '(',
      ')',
      ' ',
      '$',
      ' %',
      'kg',
      'x',
    );
    const texts = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(formats, texts, (format, text) => {
        expectSame(text, format);
        expectSame(`${format.prefix}${text}${format.suffix}`, format);
        expectSame(` (${format.prefix}${text}${format.suffix})\t`, format);
      }),
      { numRuns: 2000 },
    );
  });

  it('reads each day of seven centuries as the calendar counts it', () => {
    const format: TimeFormat = { kind: 'time', pattern: 'YYYY-MM-DD', unit: 'day', zone: null, format: numbers };
    const read = readerOf(format);
    const scanner = new NumberScanner();
    const [first, last] = [Date.UTC(1500, 0, 1) / 86_400_000, Date.UTC(2200, 0, 1) / 86_400_000];
    for (let day = first; day < last; day++) {
      const text = new Date(day * 86_400_000).toISOString().slice(0, 10);
      if (!read(text, scanner) || scanner.value !== day) throw new Error(`${text} was read as ${scanner.value}`);
    }
    expect(read('2023-02-29', scanner)).toBe(false);
  });

  it('reads times with names and zones too', () => {
    for (const [pattern, text] of [
      ['DD Mon YYYY', '03 Mar 2024'],
      ['YYYY-MM-DD hh:mm:ssZ', '2024-03-20 11:35:01+02:00'],
      ['YYYY-MM', '2024-03'],
    ] as const) {
      expectSame(text, { kind: 'time', pattern, unit: 'second', zone: null, format: numbers });
      expectSame(`${text}x`, { kind: 'time', pattern, unit: 'second', zone: null, format: numbers });
    }
  });
});
