/** The families against their textbook formulas in 700-digit arithmetic (reference.py made reference.json). */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { FAMILY_NAMES, familyOf } from '../../../packages/numerics/distributions/families.ts';
import rows from './reference.json' with { type: 'json' };

const Row = z.tuple([z.enum(FAMILY_NAMES), z.number(), z.array(z.number()), z.number().nullable()]);
const REFERENCE = z.array(Row).parse(rows);

/** What an ulp of each predictor, and some of the value itself, move the value by. */
function allowance(value: number, eta: Float64Array, gradient: Float64Array): number {
  let sum = 4e-13 * Math.max(1, Math.abs(value));
  gradient.forEach((slope, k) => {
    sum += 4e-15 * Math.abs(slope * Math.max(1, Math.abs(eta[k]!)));
  });
  return sum;
}

test.each(FAMILY_NAMES)('%s has the density of its formula, near and far', (name) => {
  const family = familyOf(name);
  const cases = REFERENCE.filter((row) => row[0] === name);
  expect(cases.length).toBeGreaterThan(20);
  for (const [, y, predictors, exact] of cases) {
    const eta = Float64Array.from(predictors);
    const gradient = new Float64Array(eta.length);
    const value = family.gradient(y, eta, gradient);
    const row = `y = ${y}, eta = ${predictors.join(', ')}: ${value}, not ${exact}`;
    if (exact === null) expect(value, row).toBe(Number.NEGATIVE_INFINITY);
    else expect(Math.abs(value - exact), row).toBeLessThan(allowance(exact, eta, gradient));
  }
});
