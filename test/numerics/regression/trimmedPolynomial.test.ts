import { describe, expect, test } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { fitTrimmedPolynomial, polynomialAt } from '../../../packages/numerics/regression/trimmedPolynomial.ts';

const random = createStream(4, 'polynomial');
const draw = (n: number, make: (i: number) => number): Float64Array =>
  Float64Array.from({ length: n }, (_, i) => make(i));
const n = 2_000;
const a = draw(n, () => 5 + random.normal());
const b = draw(n, () => 100 * random.uniform());

describe('a polynomial of most rows', () => {
  test('is that of which the rows are, product and squares alike', () => {
    const y = draw(n, (i) => 3 - 2 * a[i]! + 0.5 * a[i]! * b[i]! - 0.01 * b[i]! ** 2);
    const fit = fitTrimmedPolynomial([a, b], y)!;
    // The ridge moves a weight by its ten thousand millionth part.
    expect(Math.max(...fit.left.map(Math.abs))).toBeLessThan(1e-6);
    expect(fit.spread / fit.spreadOfY).toBeLessThan(1e-8);
    const [x, z] = [Float64Array.of(4.5, 7), Float64Array.of(10, 90)];
    const at = polynomialAt(fit.polynomial, [x, z]);
    for (const i of [0, 1]) expect(at[i]).toBeCloseTo(3 - 2 * x[i]! + 0.5 * x[i]! * z[i]! - 0.01 * z[i]! ** 2, 6);
  });

  test('is what most rows lie on, whatever a tenth of them do', () => {
    const y = draw(n, (i) => (i % 10 === 0 ? 1e4 * random.uniform() : a[i]! * b[i]! + random.normal()));
    const { polynomial, left, spread } = fitTrimmedPolynomial([a, b], y)!;
    const at = polynomialAt(polynomial, [a, b]);
    const good = [...y.keys()].filter((i) => i % 10 !== 0);
    // Six weights of 1,800 rows: a standard error of sqrt(6 / 1,800) = .06 on average; of what is left, rows that are off widen the median.
    const off = Math.sqrt(good.reduce((sum, i) => sum + (at[i]! - a[i]! * b[i]!) ** 2, 0) / good.length);
    expect(off).toBeLessThan(0.15);
    expect(spread).toBeGreaterThan(0.9);
    expect(spread).toBeLessThan(1.3);
    for (const i of good.slice(0, 50)) expect(left[i]).toBeCloseTo(y[i]! - at[i]!, 9);
  });

  test('says how much is left of a column that is none', () => {
    const fit = fitTrimmedPolynomial([a], draw(n, random.normal))!;
    expect(fit.spread / fit.spreadOfY).toBeGreaterThan(0.9);
  });

  test.each([
    ['rows are too few', [a.slice(0, 59)], b.slice(0, 59)],
    ['most numbers are one', [a], draw(n, (i) => Number(i % 9 === 0))],
    ['an input has one number', [draw(n, () => 2)], b],
  ])('is none where %s', (_, inputs, y) => {
    expect(fitTrimmedPolynomial(inputs, y)).toBeNull();
  });

  test('bears inputs that are functions of each other', () => {
    const fit = fitTrimmedPolynomial(
      [a, a.map((own) => 2 * own), b],
      draw(n, (i) => a[i]! * b[i]!),
    )!;
    expect(fit.spread / fit.spreadOfY).toBeLessThan(1e-4);
  });
});
