import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { highestFigure, hypergeometricTail } from '../../../packages/synthesis/judge/privacy/highest.ts';

describe('the hypergeometric tail', () => {
  it.each([
    // Of 10 drawn from 20, of whom 10 are marked: 8 or more marked ones in (45² + 10² + 1) / 184,756 draws.
    [8, 10, 10, 20, (45 ** 2 + 10 ** 2 + 1) / 184_756],
    [0, 10, 10, 20, 1],
    [5, 5, 5, 10, 1 / 252],
  ])('of %i hits among %i drawn, %i marked of %i', (hits, drawn, marked, all, expected) => {
    expect(hypergeometricTail(hits, drawn, marked, all)).toBeCloseTo(expected, 12);
  });

  it('is one less that of the others', () => {
    for (const hits of [1, 7, 20, 33, 40]) {
      const others = hypergeometricTail(40 - hits + 1, 40, 500, 1000);
      expect(hypergeometricTail(hits, 40, 500, 1000)).toBeCloseTo(1 - others, 10);
    }
  });
});

describe('training rows among the persons who score highest', () => {
  const scores = (size: number, name: string): Float64Array => {
    const random = createStream(8, name);
    return Float64Array.from({ length: size }, () => random.normal());
  };

  it('give twenty people away whom a mean over thousands does not show', () => {
    const others = scores(2000, 'others');
    const members = scores(2000, 'members').map((score, row) => (row < 20 ? 10 + row : score));
    expect(highestFigure(members, others, 1e-4, '')).toMatchObject({
      value: 1,
      rows: 20,
      ideal: 0.5,
      verdict: 'worse',
    });
  });

  it('are half of them if the scores know nothing, in all but a few of 400 tables at a level of 5 %', () => {
    let worse = 0;
    for (let table = 0; table < 400; table++) {
      const figure = highestFigure(scores(300, `ours ${table}`), scores(300, `theirs ${table}`), 0.05, '');
      if (figure.verdict === 'worse') worse++;
    }
    // 20 are expected at most; beyond 35 lies a probability of 0.001.
    expect(worse).toBeLessThan(35);
  });

  it('are taken together if they score the same, so that their order is no evidence', () => {
    const equal = new Float64Array(500).fill(1);
    expect(highestFigure(equal, equal, 0.05, 'too few').verdict).not.toBe('worse');
  });

  it('are unknown if there are too few persons', () => {
    expect(highestFigure(scores(5, 'a'), scores(5, 'b'), 0.05, 'too few')).toMatchObject({
      value: null,
      reason: 'too few',
    });
  });
});
