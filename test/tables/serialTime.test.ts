import { describe, expect, it } from 'vitest';
import { serialText, timeFieldsOf } from '../../packages/tables/cellText.ts';

const DAY_MS = 86_400_000;

/** The serial number of a moment in 1900's system, from the 1st of March 1900 on. */
const serialOf = (iso: string): number => (Date.parse(`${iso}Z`) - Date.UTC(1899, 11, 30)) / DAY_MS;

function shown(serial: number, format: string): string | undefined {
  const fields = timeFieldsOf(format);
  return fields && serialText(serial, 1900, fields);
}

describe('timeFieldsOf', () => {
  it.each([
    ['hh:mm:ss.0', '', 'hh:mm:ss', 1],
    ['yyyy-mm-dd hh:mm:ss.00', 'YYYY-MM-DD', 'hh:mm:ss', 2],
    ['m/d/yy h:mm:ss.000 AM/PM', 'YYYY-MM-DD', 'hh:mm:ss', 3],
    ['mm:ss.0', '', 'hh:mm:ss', 1],
    ['ss.000', '', 'hh:mm:ss', 3],
    ['[$-409]h:mm:ss.0;@', '', 'hh:mm:ss', 1],
    ['hh:mm:ss.000000', '', 'hh:mm:ss', 3],
    ['hh:mm', '', 'hh:mm', 0],
    ['mmm-yy', 'YYYY-MM', '', 0],
    ['yyyy', 'YYYY', '', 0],
    ['"at" d\\.m\\.yyyy', 'YYYY-MM-DD', '', 0],
  ])('finds in %s the fields that it shows, and the digits of a second', (format, date, time, decimals) => {
    expect(timeFieldsOf(format)).toEqual({ date, time, decimals });
  });

  it.each(['dddd', 'mmmm', '[h]:mm:ss.0', '[ss].00'])(
    'leaves %s, which ISO has no form for, as it is shown',
    (format) => {
      expect(timeFieldsOf(format)).toBeUndefined();
    },
  );
});

describe('serialText', () => {
  it('shows as many digits of a second as the format has, rounded', () => {
    const serial = serialOf('2024-03-20T07:08:09.876');
    expect(shown(serial, 'yyyy-mm-dd hh:mm:ss.000')).toBe('2024-03-20 07:08:09.876');
    expect(shown(serial, 'yyyy-mm-dd hh:mm:ss.00')).toBe('2024-03-20 07:08:09.88');
    expect(shown(serial, 'mm:ss.0')).toBe('07:08:09.9');
    expect(shown(serial, 'hh:mm:ss')).toBe('07:08:10');
  });

  it('carries what is rounded up into the next day', () => {
    expect(shown(serialOf('2024-12-31T23:59:59.996'), 'yyyy-mm-dd hh:mm:ss.00')).toBe('2025-01-01 00:00:00.00');
    expect(shown(serialOf('2024-12-31T23:59:59.994'), 'yyyy-mm-dd hh:mm:ss.00')).toBe('2024-12-31 23:59:59.99');
  });

  it('shows every millisecond of a day as it was, though few are exact fractions of it', () => {
    const start = Date.UTC(2024, 1, 29);
    for (let ms = 0; ms < DAY_MS; ms += 86_399) {
      const iso = new Date(start + ms).toISOString().slice(0, -1);
      expect(shown(serialOf(iso), 'yyyy-mm-dd hh:mm:ss.000')).toBe(iso.replace('T', ' '));
    }
  });

  it('knows the day that 1900 did not have, and the last one', () => {
    expect([1, 59, 61].map((day) => shown(day, 'd/m/yyyy'))).toEqual(['1900-01-01', '1900-02-28', '1900-03-01']);
    expect(shown(2_958_465, 'd/m/yyyy')).toBe('9999-12-31');
    expect([2_958_466, -1, Number.NaN].map((day) => shown(day, 'd/m/yyyy'))).toEqual([undefined, undefined, undefined]);
  });
});
