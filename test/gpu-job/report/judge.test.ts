import { describe, expect, it } from 'vitest';
import type { MeasuredFigure, Verdict } from '../../../domain/schema/measuredFigure.ts';
import type { JobMetrics } from '../../../domain/schema/metrics.ts';
import { judge } from '../../../gpu-job/report/judge.ts';
import { decimal } from '../../../gpu-job/report/wording.ts';
import { METRICS, WITHHELD } from '../../support/jobFixtures.ts';

const figure = (value: number | null, verdict: Verdict | null, holdout: number | null = 0.9): MeasuredFigure => ({
  ...{ value, low: 0.4, high: 0.6, rows: 10, reason: value === null ? 'none' : null, ideal: null },
  ...{ holdout, independent: null, swapped: null, verdict },
});

const fidelity = (verdict: Verdict | null): JobMetrics['fidelity'] => {
  const all = figure(0.8, verdict);
  return {
    ...{
      one_way: all,
      two_way: all,
      three_way: all,
      ks: all,
      wasserstein: all,
      total_variation: all,
      missingness: all,
    },
    ...{ pearson: all, spearman: all, correlation_ratio: all, cramers_v: all, discriminator: all },
    give_away: [{ column: 'x', loss: 0.2 }],
    columns: [],
    largest_gaps: [{ measure: 'cramers_v', columns: ['a', 'b'], real: 0.5, synthetic: 0.25 }],
    columns_left_out: 0,
  };
};

const privacy = (worse: number): JobMetrics['privacy'] => {
  const of = (at: number) => figure(0.5, at < worse ? 'worse' : 'as good');
  return {
    ...{ exact_copies: of(9), unique_copies: of(0), near_copies: of(1), dcr_share: of(2), dcr_share_worst: of(3) },
    ...{ worst_columns: [], neighbour_ratio: of(9), membership_inference: of(4), attribute_inference: [] },
    ...{ singling_out: of(5), text_memorisation: figure(null, null), worst_text_column: null },
  };
};

const gradesOf = (more: Partial<JobMetrics>) => judge({ ...METRICS, ...more }).map(({ area, grade }) => [area, grade]);

describe('judge', () => {
  it('says nothing of what was not measured', () => {
    expect(judge(METRICS)).toEqual([]);
  });

  it.each<[Verdict | null, string]>([
    ['as good', 'good'],
    ['suspiciously better', 'good'],
    ['worse', 'poor'],
    [null, 'unknown'],
  ])('grades likeness of which all is %s as %s', (verdict, grade) => {
    expect(gradesOf({ fidelity: fidelity(verdict) })).toEqual([['likeness', grade]]);
  });

  it.each([
    [0, 'good'],
    [1, 'mixed'],
    [2, 'poor'],
  ])('grades privacy with %i attacks that succeed as %s', (worse, grade) => {
    expect(gradesOf({ privacy: privacy(worse) })).toEqual([['privacy', grade]]);
  });

  it('writes figures beside those of real rows, with what they are about', () => {
    const [likeness] = judge({ ...METRICS, fidelity: fidelity('worse') });
    expect(likeness?.headline).toBe('The rows can be told from real ones at a glance.');
    expect(likeness?.sentences).toEqual([
      'Single columns agree with the real ones to 80 % (real rows that no model saw: 90 %).',
      'Pairs of columns agree to 80 % (real rows that no model saw: 90 %).',
      'A classifier tells synthetic rows from real ones with an AUC of 0.8 (real rows that no model saw: 0.9), most of all by "x"; 0.5 is guessing.',
      'The tie that differs most is that of "a" and "b": 0.5 in the real rows, 0.25 in the synthetic ones (Cramér’s V).',
    ]);
  });

  it('says that rows were withheld, and why', () => {
    const [found] = judge({ ...METRICS, privacy: privacy(0), release: WITHHELD });
    expect(found?.sentences.at(-1)).toBe(
      'The rows were withheld by the release policy. 3 rows of the table equal a real row that stands there once; the policy allows 0.',
    );
  });
});

describe('decimal', () => {
  it.each([
    [null, '–'],
    [0, '0'],
    [1.08e-19, '0'],
    [0.000456, '0.00046'],
    [0.12345, '0.123'],
    [-3.5, '-3.5'],
    [386.4, '386'],
    [2.5e9, '2.50e+9'],
  ])('writes %s as %s', (value, text) => {
    expect(decimal(value)).toBe(text);
  });
});
