import { describe, expect, it } from 'vitest';
import { nextDelay } from '../../web/logic/backoff.ts';
import { numberOf } from '../../web/logic/cells.ts';
import { dollars, timeWords } from '../../web/logic/estimateWords.ts';
import { middleRange, quantileAt, quantilesOf, sharesOfQuantiles, sharesOfValues } from '../../web/logic/histogram.ts';
import { hashOf, placeOf } from '../../web/logic/place.ts';
import { type STAGES, standingOf } from '../../web/logic/stages.ts';
import { bytes, duration, figure, percent } from '../../web/logic/words.ts';

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

describe('an estimate in words', () => {
  it('is no more exact than an estimate is', () => {
    const words = [0.3, 1.6, 42.4, 89, 91, 1320, 3599, 4000].map(timeWords).map((text) => text.replace('\u00a0', ' '));
    expect(words).toEqual(['a second', '2 s', '42 s', '1 min 29 s', '2 min', '22 min', '1 h 00 min', '1 h 07 min']);
    expect([0.0064, 0.099, 0.1, 12.345].map(dollars)).toEqual(['$0.006', '$0.099', '$0.10', '$12.35']);
  });
});

describe('histograms', () => {
  const probabilities = [0, 0.25, 0.5, 0.75, 1];
  const range = { low: 0, high: 100 };

  it('of quantiles and of values agree where the values have these quantiles', () => {
    const values = Array.from({ length: 10_001 }, (_, i) => (i / 10_000) ** 2 * 100);
    const fine = Array.from({ length: 201 }, (_, i) => i / 200);
    const byQuantiles = sharesOfQuantiles(fine, quantilesOf(values, fine), range, 10);
    const byValues = sharesOfValues(values, range, 10);
    // The curve between two of 201 quantiles is a straight line: off by less than one step of 1/200.
    byQuantiles.forEach((share, bin) => {
      expect(Math.abs(share - byValues[bin]!)).toBeLessThan(1 / 200);
    });
  });

  it.each([
    ['evenly spread', [0, 25, 50, 75, 100]],
    ['half of them one value', [0, 0, 0, 40, 100]],
    ['all of them one value', [7, 7, 7, 7, 7]],
    ['beyond the range on both sides', [-500, 10, 20, 30, 900]],
  ])('put all of the mass into bins: %s', (_, values) => {
    expect(sum(sharesOfQuantiles(probabilities, values, range, 24))).toBeCloseTo(1, 12);
  });

  it('keep a heap of equal values in its own bin', () => {
    expect(sharesOfQuantiles(probabilities, [50, 50, 50, 50, 100], range, 10)[5]).toBeGreaterThanOrEqual(0.75);
  });

  it('leave what is no number out, and are empty where nothing is one', () => {
    expect(sum(sharesOfValues([1, Number.NaN, 2], range, 4))).toBeCloseTo(1, 12);
    expect(sharesOfValues([Number.NaN], range, 4)).toEqual([0, 0, 0, 0]);
  });

  it('reach from the 1 % to the 99 % quantile, and over everything where these are one', () => {
    expect(middleRange([0, 0.01, 0.99, 1], [-1e9, 2, 5, 1e9])).toEqual({ low: 2, high: 5 });
    expect(middleRange([0, 0.01, 0.99, 1], [0, 3, 3, 9])).toEqual({ low: 0, high: 9 });
    expect(quantileAt(probabilities, [0, 25, 50, 75, 100], 0.6)).toBeCloseTo(60, 12);
  });
});

describe('cells as numbers', () => {
  const format = { integer: false, decimals: 2, fixed: true, min: -1e6, max: 1e6 };
  const dollars = {
    kind: 'decorated',
    prefix: '$',
    suffix: '',
    thousands: ',',
    decimal: '.',
    negative: 'parentheses',
    signOutside: true,
    plus: false,
    width: 0,
    percent: false,
    format,
  } as const;

  it.each([
    ['$1,204.50', 1204.5],
    ['($3.00)', -3],
  ])('%s is %d', (cell, value) => {
    expect(numberOf(cell, dollars)).toBe(value);
  });

  it('take a comma for the decimal sign where the column does', () => {
    const euros = { ...dollars, prefix: '', suffix: ' €', thousands: '.', decimal: ',', negative: 'minus' } as const;
    expect(numberOf('-1.204,50 €', euros)).toBe(-1204.5);
  });

  it('are none where a cell is missing', () => {
    expect(numberOf('', { kind: 'plain', format })).toBeNaN();
  });
});

describe('the standing of a job', () => {
  /** Lines of real jobs, in their order. */
  const lines: [stage: (typeof STAGES)[number], line: string][] = [
    ['Reading', 'Target model: Bayesian regression by NUTS for "Fare" (family auto, 100 posterior draws)'],
    ['Reading', 'Read 891 rows and 12 columns (0.1 s)'],
    ['Reading', 'Family of "Fare": hurdle_lognormal; runner-up hurdle_gamma (0.3 s)'],
    ['Learning', 'Kept 89 rows from the models to measure by; 802 rows to learn from (0.3 s)'],
    ['Learning', 'Categories: learnt 5 of 5 columns (0.5 s)'],
    ['Learning', 'Continuous columns: trees and vine are learnt from 500 of 802 rows (0.5 s)'],
    ['Learning', 'Continuous columns: trees of 3 of 3 columns (0.7 s)'],
    ['Learning', 'Sampling: 800 of 800 iterations, 0 divergences (6.1 s)'],
    ['Learning', 'Text "Name": order 4 from 802 of 802 texts (7.1 s)'],
    ['Learning', 'Text: epoch 3 of 3: 2.235 bits per character in training (19.5 s)'],
    ['Making rows', 'Categories: 5 of 5 columns made (19.7 s)'],
    ['Making rows', 'Continuous columns: 300 of 300 rows (19.7 s)'],
    ['Making rows', 'Text: 45 of 300 rows (20.1 s)'],
    ['Measuring', 'Metrics: 4 of 4 category columns predicted for real rows (23.4 s)'],
    ['Writing', 'Wrote 16435 bytes (23.8 s)'],
  ];

  it.each(lines)('is %s at "%s"', (stage, line) => {
    expect(standingOf('running', [line]).stage).toBe(stage);
  });

  it('only ever goes on, from 0 to below 1, and is 1 when the job is done', () => {
    const texts = lines.map(([, line]) => line);
    const shares = texts.map((_, at) => standingOf('running', texts.slice(0, at + 1)).share);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.at(-1)).toBeLessThan(1);
    expect(standingOf('done', texts).share).toBe(1);
    expect(standingOf('started', [])).toEqual({ stage: 'Waiting', share: 0, line: 'Waiting for a free place' });
  });
});

describe('asking again', () => {
  it('is soon while something changes, and ever later, up to a bound, while nothing does', () => {
    const waits = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0].reduce<number[]>(
      (all) => [...all, nextDelay(all.at(-1) ?? 0, false)],
      [],
    );
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(waits.at(-1)).toBe(8000);
    expect(nextDelay(8000, true)).toBeLessThan(1000);
  });
});

describe('words', () => {
  it('say figures, shares, sizes and times as people do', () => {
    expect([figure(0.123456), figure(null), figure(12_345), figure(0.0000123)]).toEqual([
      '0.123',
      '–',
      '12,300',
      '1.23e-5',
    ]);
    expect([percent(0.5), percent(0.0004), percent(0)]).toEqual(['50\u00a0%', 'under 0.1\u00a0%', '0\u00a0%']);
    expect([bytes(12), bytes(52_428_800)]).toEqual(['12 bytes', '52.4 MB']);
    expect([duration(59_900), duration(61_000), duration(3_720_000)]).toEqual(['59 s', '1 min 01 s', '1 h 02 min']);
  });
});

describe('the address', () => {
  it('names the place, and any other address is the start', () => {
    const job = { at: 'job', id: 'a1b2' } as const;
    expect(placeOf(hashOf(job))).toEqual(job);
    expect(placeOf('#jobs')).toEqual({ at: 'jobs' });
    expect(['', '#start', '#job=', '#job=../x', '#job=<b>'].map(placeOf)).toEqual(new Array(5).fill({ at: 'start' }));
  });
});
