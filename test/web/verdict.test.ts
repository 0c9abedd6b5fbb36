import { describe, expect, it } from 'vitest';
import { statusExample } from '../../api/openapi/examples.ts';
import {
  type JobMetrics,
  jobMetricsSchema,
  type MeasuredFigure,
  type PrivacyMetrics,
  privacyMetricsSchema,
} from '../../packages/contract/metrics.ts';
import type { Judgement } from '../../packages/contract/report.ts';
import { namedFigures, verdictOf, worstTone } from '../../web/logic/verdict.ts';

const measured = (verdict: MeasuredFigure['verdict']): MeasuredFigure => ({
  value: 0.5,
  low: 0.4,
  high: 0.6,
  rows: 100,
  reason: null,
  ideal: null,
  holdout: 0.5,
  independent: null,
  swapped: null,
  verdict,
});

const privacy = (verdict: MeasuredFigure['verdict']): PrivacyMetrics =>
  privacyMetricsSchema.parse({
    ...Object.fromEntries(Object.keys(privacyMetricsSchema.shape).map((key) => [key, measured('as good')])),
    dcr_share: measured(verdict),
    worst_columns: [],
    attribute_inference: [{ column: 'city', why: 'rare', advantage: measured('as good') }],
    worst_text_column: null,
  });

const plain = (): JobMetrics => jobMetricsSchema.parse({ ...statusExample.metrics, holdout: null });
const withKs = (made: number, real: number): JobMetrics => {
  const { numeric } = plain();
  const { family, ...figures } = numeric;
  return { ...plain(), numeric: { ...numeric, 'KS (Avg)': made }, holdout: { ...figures, 'KS (Avg)': real } };
};

describe('the verdict', () => {
  it('is that the table is good where it does as well as held-out rows, and fair where it does not', () => {
    expect(verdictOf(withKs(0.03, 0.03)).tone).toBe('good');
    expect(verdictOf(withKs(0.3, 0.03)).tone).toBe('fair');
  });

  it('is left open, in words, where there is nothing to compare with', () => {
    const { tone, sentences } = verdictOf(plain());
    expect(tone).toBe('open');
    expect(sentences.join(' ')).toContain('no held-out rows');
  });

  it('warns and names the figure where training rows are nearer than they may be', () => {
    const { tone, sentences } = verdictOf({ ...plain(), privacy: privacy('worse') });
    expect([tone, sentences[0]]).toEqual(['poor', expect.stringContaining('share closer to training')]);
  });

  it('says that a model did not converge', () => {
    const { regression } = plain();
    const summary = 'The chains did not converge (R-hat 1.3): the coefficients are rough.';
    const metrics = { ...plain(), regression: regression && { ...regression, converged: false, summary } };
    expect(verdictOf(metrics).sentences).toContain(
      'Target model: the chains did not converge (R-hat 1.3): the coefficients are rough.',
    );
  });
});

describe('figures', () => {
  it('are found wherever they lie in the groups, under the names of their place', () => {
    const names = namedFigures({ ...plain(), privacy: privacy('as good') }).map(({ name }) => name);
    expect(names).toContain('rows closer than the closest 5 % of real ones');
    expect(names).toContain('attribute inference, city, advantage');
  });
});

describe('judgements of the report', () => {
  const judgement = (grade: Judgement['grade']): Judgement => ({
    area: 'likeness',
    grade,
    headline: 'It is.',
    sentences: [],
  });

  it('give the tone of the worst one', () => {
    expect(worstTone([judgement('good'), judgement('mixed')])).toBe('fair');
    expect(worstTone([judgement('poor'), judgement('unknown')])).toBe('poor');
    expect(worstTone([])).toBe('open');
  });
});
