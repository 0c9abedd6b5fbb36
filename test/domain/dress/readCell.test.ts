import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DecoratedDress, type Dress, NEGATIVES, plainText, type TimeDress } from '../../../domain/dress/dress.ts';
import { readerOf } from '../../../domain/dress/readCell.ts';
import { NumberScanner } from '../../../domain/table/scanNumber.ts';

const format = { integer: false, decimals: 2, fixed: false, min: -1e9, max: 1e9 };
const fields = (scanner: NumberScanner) => ({ ...scanner });

/** The slow way: made plain, then scanned. */
function expectSame(text: string, dress: Dress): void {
  const [fast, slow] = [new NumberScanner(), new NumberScanner()];
  const plain = plainText(text, dress);
  const isNumber = plain !== undefined && slow.scan(plain);
  expect([text, readerOf(dress)(text, fast)]).toEqual([text, isNumber]);
  if (isNumber) expect(fields(fast)).toEqual(fields(slow));
}

describe('readerOf', () => {
  it('reads every text as the dress makes it plain', () => {
    const dresses = fc.record<DecoratedDress>({
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
      format: fc.constant(format),
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
      fc.property(dresses, texts, (dress, text) => {
        expectSame(text, dress);
        expectSame(`${dress.prefix}${text}${dress.suffix}`, dress);
        expectSame(` (${dress.prefix}${text}${dress.suffix})\t`, dress);
      }),
      { numRuns: 2000 },
    );
  });

  it('reads each day of seven centuries as the calendar counts it', () => {
    const dress: TimeDress = { kind: 'time', pattern: 'YYYY-MM-DD', unit: 'day', zone: null, format };
    const read = readerOf(dress);
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
      expectSame(text, { kind: 'time', pattern, unit: 'second', zone: null, format });
      expectSame(`${text}x`, { kind: 'time', pattern, unit: 'second', zone: null, format });
    }
  });
});
