import { describe, expect, it } from 'vitest';
import { fuzz } from '../../../bench/fuzz/fuzz.ts';
import { seedFiles } from '../../../bench/fuzz/seeds.ts';

describe('mutated uploads, a short slice of `npm run fuzz`', () => {
  it('are read or refused by one of the upload errors, each within 5 s', async () => {
    const { findings, answers } = await fuzz(seedFiles(), { seed: 3, count: 500, budgetMs: 8000, mostMs: 5000 });
    expect(findings).toEqual([]);
    expect(answers.size).toBeGreaterThan(2);
  });
});
