import { describe, expect, it } from 'vitest';
import { privacySchema } from '../../packages/contract/privacy.ts';
import { PROMISE_WORDS, promiseTier } from '../../packages/contract/promise.ts';
import { promiseVerdict } from '../../packages/words/promise.ts';

const guarantee = (epsilon: number) => ({
  unit: 'row' as const,
  epsilon,
  delta: 1e-6,
  rho: 0.1,
  spent: 0.1,
  columns_measured: 3,
  pairs_measured: 2,
  measurements_sha256: 'a'.repeat(64),
  expected_total_variation: { columns: 0, pairs: 0 },
  figures_for_owner: true,
});

describe('what an ε is called', () => {
  it.each([
    [0.001, 'strong', 'good'],
    [1, 'strong', 'good'],
    [1.001, 'reasonable', 'mixed'],
    [10, 'reasonable', 'mixed'],
    [10.001, 'weak', 'poor'],
    [50, 'weak', 'poor'],
  ])('ε %s is %s, and the verdict is %s', (epsilon, word, grade) => {
    expect(promiseTier(epsilon)).toMatchObject({ word, grade });
    const verdict = promiseVerdict(guarantee(epsilon));
    expect(verdict).toMatchObject({ area: 'privacy', grade });
    expect(verdict.headline).toContain(`This is a ${word} promise.`);
  });

  it('is the same in the API, and in the verdict', () => {
    expect(PROMISE_WORDS).toBe('strong up to 1, reasonable up to 10, weak above');
    expect(privacySchema.shape.epsilon.description).toContain(PROMISE_WORDS);
    expect(promiseVerdict(guarantee(2)).sentences.join(' ')).toContain(PROMISE_WORDS);
  });
});
