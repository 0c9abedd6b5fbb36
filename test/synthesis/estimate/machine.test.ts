import { expect, it } from 'vitest';
import { thisMachine } from '../../../packages/synthesis/estimate/machine.ts';

it('measures this machine once, in a moment, so that a request has one answer', () => {
  const start = performance.now();
  const first = thisMachine();
  // Others may keep the machine busy meanwhile: twenty milliseconds of its own.
  expect(performance.now() - start).toBeLessThan(1000);
  expect(first.cores).toBeGreaterThanOrEqual(1);
  expect(first.speed).toBeGreaterThanOrEqual(0.2);
  expect(first.speed).toBeLessThanOrEqual(5);
  expect(thisMachine()).toBe(first);
});
