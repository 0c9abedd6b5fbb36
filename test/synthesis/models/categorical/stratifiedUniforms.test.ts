import { describe, expect, it } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { stratifiedUniforms } from '../../../../packages/synthesis/models/categorical/drawClass.ts';

describe('stratifiedUniforms', () => {
  const rows = 4000;
  const groupOf = Int32Array.from({ length: rows }, (_, row) => (row < 20 ? 1 : 0));

  it('gives each part of a large group one number', () => {
    const uniforms = stratifiedUniforms(groupOf, 2, createStream(1, 'even'));
    const own = [...uniforms.subarray(20)].sort((a, b) => a - b);
    own.forEach((u, i) => {
      expect(Math.floor(u * own.length)).toBe(i);
    });
  });

  it('gives them in random order: neighbours are not correlated', () => {
    const u = stratifiedUniforms(groupOf, 2, createStream(2, 'even')).subarray(20);
    let sum = 0;
    for (let i = 1; i < u.length; i++) sum += (u[i]! - 0.5) * (u[i - 1]! - 0.5) * 12;
    // Standard error 1 / √3980 = .016.
    expect(Math.abs(sum / u.length)).toBeLessThan(0.06);
  });

  it('leaves small groups to chance: some part of twenty has two numbers', () => {
    const parts = Array.from({ length: 20 }, (_, seed) => {
      const own = stratifiedUniforms(groupOf, 2, createStream(seed, 'small')).subarray(0, 20);
      return new Set(own.map((u) => Math.floor(20 * u))).size;
    });
    expect(Math.max(...parts)).toBeLessThan(20);
  });
});
