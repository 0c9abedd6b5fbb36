import { describe, expect, test } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { checkNamed, findCheck } from '../../../packages/tables/keys/checkDigits.ts';

const random = createStream(3, 'check digits');
const digits = (length: number): string => Array.from({ length }, () => random.integer(10)).join('');
const many = (make: () => string): string[] => Array.from({ length: 60 }, make);

/** Written out, apart from what is tested: weights by hand. */
const ean = (): string => {
  const body = digits(12);
  const sum = [...body].reduce((total, digit, i) => total + Number(digit) * (i % 2 === 0 ? 1 : 3), 0);
  return `${body}${(10 - (sum % 10)) % 10}`;
};
const iban = (): string => {
  const account = digits(18);
  const remainder = BigInt(`${account}131400`) % 97n;
  return `DE${String(98n - remainder).padStart(2, '0')}${account}`;
};
const luhn = (length: number): string => {
  const body = digits(length - 1);
  const sum = [...body].reverse().reduce((total, digit, i) => {
    const doubled = Number(digit) * (i % 2 === 0 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return `${body}${(10 - (sum % 10)) % 10}`;
};
const cpf = (): string => {
  const body = digits(9);
  const next = (text: string): string => {
    const sum = [...text].reduce((total, digit, i) => total + Number(digit) * (text.length + 1 - i), 0);
    return String(((sum * 10) % 11) % 10);
  };
  const first = `${body}${next(body)}`;
  const all = `${first}${next(first)}`;
  return `${all.slice(0, 3)}.${all.slice(3, 6)}.${all.slice(6, 9)}-${all.slice(9)}`;
};

describe('check digits', () => {
  test.each<[string, () => string, string]>([
    ['bar codes', ean, 'EAN'],
    ['accounts', iban, 'IBAN'],
    ['accounts in groups of four', () => iban().replace(/(.{4})(?=.)/g, '$1 '), 'IBAN'],
    ['numbers of ten digits by Luhn', () => luhn(10), 'Luhn'],
    ['tax numbers of Brazil', cpf, 'tax number (pt-BR)'],
  ])('of %s are found, and made valid', (_, make, name) => {
    const ids = many(make);
    expect(findCheck(ids)?.name).toBe(name);
    const check = checkNamed(name)!;
    for (const id of ids) {
      const spoilt = id.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
      expect([check.holds(id), check.holds(spoilt)]).toEqual([true, false]);
      const mended = check.mend(spoilt);
      expect(mended && check.holds(mended)).toBe(true);
      expect(mended?.replace(/\w/g, '0')).toBe(id.replace(/\w/g, '0'));
    }
  });

  test('are not seen in numbers that have none', () => {
    expect(findCheck(many(() => digits(13)))).toBeUndefined();
    expect(findCheck(many(() => digits(9)))).toBeUndefined();
    expect(findCheck(many(() => `AB-${digits(6)}`))).toBeUndefined();
  });

  test('are not seen in a handful of numbers', () => {
    expect(findCheck(many(ean).slice(0, 8))).toBeUndefined();
  });
});
