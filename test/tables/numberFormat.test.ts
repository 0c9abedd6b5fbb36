import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatNumber, inferFormat, parseNumber } from '../../packages/tables/format/number.ts';

const inferred = (...texts: string[]) => {
  const format = inferFormat(texts);
  if (!format) throw new Error('no number among the texts');
  return format;
};

describe('parseNumber', () => {
  it.each([
    ['0', 0],
    ['-12', -12],
    ['+7', 7],
    ['007', 7],
    ['3.', 3],
    ['.5', 0.5],
    ['-.25', -0.25],
    [' 41.0\t', 41],
    ['1e3', 1000],
    ['1.5E-3', 0.0015],
    ['2e+2', 200],
    ['570306133677760513', Number(570306133677760513n)],
    ['0.30000000000000004', 0.30000000000000004],
  ])('reads %j as %d', (text, value) => {
    expect(parseNumber(text)).toBe(value);
  });

  it.each([
    '',
    ' ',
    '.',
    '-',
    '+',
    'e5',
    '1e',
    '1e+',
    '0x1F',
    'Infinity',
    '-Infinity',
    'NaN',
    '1e999',
    '1,204',
    '1 204',
    '12 %',
    '$3',
    '1.2.3',
    '--1',
    '1-',
    '１２',
    '1_000',
    '0b1',
    'twelve',
    '5e1.5',
  ])('takes %j for no number', (text) => {
    expect(parseNumber(text)).toBeUndefined();
  });

  it('reads every double back from its text, to the bit', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(parseNumber(String(value))).toBe(Object.is(value, -0) ? 0 : value);
      }),
    );
  });

  it('agrees with the language on every plain decimal', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^-?\d{1,20}(\.\d{1,20})?$/), (text) => {
        expect(parseNumber(text)).toBe(Number(text));
      }),
    );
  });
});

describe('inferFormat', () => {
  it('tells whole numbers, decimals and fixed decimals apart', () => {
    expect(inferred('3', '-12', '007')).toEqual({ integer: true, decimals: 0, fixed: false, min: -12, max: 7 });
    expect(inferred('3', '1.25')).toEqual({ integer: false, decimals: 2, fixed: false, min: 1.25, max: 3 });
    expect(inferred('41.0', '880.0')).toEqual({ integer: false, decimals: 1, fixed: true, min: 41, max: 880 });
    expect(inferred('1e-3', '2')).toEqual({ integer: false, decimals: 3, fixed: false, min: 0.001, max: 2 });
  });

  it('passes over what is no number and knows nothing where none is', () => {
    expect(inferred('NA', 'x', '5').max).toBe(5);
    expect(inferFormat(['NA', 'x'])).toBeUndefined();
  });
});

describe('formatNumber', () => {
  it('rounds whole numbers and keeps them within their bounds', () => {
    const format = inferred('1', '90');
    expect(formatNumber(41.7, format)).toBe('42');
    expect(formatNumber(-3, format)).toBe('1');
    expect(formatNumber(1e9, format)).toBe('90');
  });

  it('always writes the decimals of a column that always has them', () => {
    const format = inferred('41.0', '880.5', '-2.0');
    expect(formatNumber(41, format)).toBe('41.0');
    expect(formatNumber(41.04, format)).toBe('41.0');
    expect(formatNumber(-0.04, format)).toBe('0.0');
  });

  it('writes the shortest text, rounded to the decimals of the column', () => {
    const format = inferred('0', '7.9250', '512.3292');
    expect(formatNumber(26, format)).toBe('26');
    expect(formatNumber(7.5, format)).toBe('7.5');
    expect(formatNumber(1 / 3, format)).toBe('0.3333');
    expect(formatNumber(0.99999, format)).toBe('1');
    expect(formatNumber(1e-9, format)).toBe('0');
    expect(formatNumber(120.00001, format)).toBe('120');
  });

  it('leaves values as they are where the decimals are the noise of doubles', () => {
    const format = inferred('26.100000381469727', '100', '0.0000000000001234');
    expect(formatNumber(26.100000381469727, format)).toBe('26.100000381469727');
    expect(formatNumber(100, format)).toBe('100');
    expect(formatNumber(97.5, format)).toBe('97.5');
  });

  it('writes nothing for NaN, which is a missing cell', () => {
    expect(formatNumber(Number.NaN, inferred('1'))).toBe('');
  });

  it('gives texts that are numbers, within the bounds, and of the format that was inferred', () => {
    const texts = fc.array(fc.stringMatching(/^-?\d{1,6}(\.\d{0,6})?$/), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(texts, fc.double({ noNaN: true }), (seen, value) => {
        const format = inferred(...seen);
        const text = formatNumber(value, format);
        const number = parseNumber(text);
        expect(number).toBeGreaterThanOrEqual(format.min);
        expect(number).toBeLessThanOrEqual(format.max);
        const again = inferred(text);
        expect(again.decimals).toBeLessThanOrEqual(format.decimals);
        if (format.fixed) expect(again.decimals).toBe(format.decimals);
        if (format.integer) expect(again.integer).toBe(true);
      }),
    );
  });
});
