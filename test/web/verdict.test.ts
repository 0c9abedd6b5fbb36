import { describe, expect, it } from 'vitest';
import { statusExample } from '../../api/openapi/examples.ts';
import type { MeasuredFigure } from '../../packages/contract/measuredFigure.ts';
import {
  type JobMetrics,
  jobMetricsSchema,
  type PrivacyMetrics,
  privacyMetricsSchema,
} from '../../packages/contract/metrics.ts';
import type { Judgement } from '../../packages/contract/verdicts.ts';
import { figureCells, keyFigures, namedFigures } from '../../packages/words/figures.ts';
import { worstTone } from '../../web/logic/verdict.ts';

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
    membership: [],
    worst_columns: [],
    attribute_inference: [{ column: 'city', why: 'rare', advantage: measured('as good') }],
    worst_text_column: null,
    sure_copies: 0,
    copied_rows: [],
    look_ups: [{ known: ['age', 'city'], column: 'income', advantage: measured('as good') }],
  });

const plain = (): JobMetrics => jobMetricsSchema.parse({ ...statusExample.metrics, holdout: null });

describe('figures', () => {
  it('are found wherever they lie in the groups, under the names of their place', () => {
    const names = namedFigures({ ...plain(), privacy: privacy('as good') }).map(({ name }) => name);
    expect(names).toContain('rows closer than the closest 5 % of real ones');
    expect(names).toContain('attribute inference, city, advantage');
    expect(names).toContain('attribute inference by look-up, income from age and city, advantage');
  });

  it('that verdicts rest on have their interval, their rows and what real rows get, those that are worse among them', () => {
    const found = keyFigures({ ...plain(), privacy: { ...privacy('worse'), near_copies: measured('worse') } });
    expect(found.map(({ key }) => key)).toContain('near_copies');
    expect(found.map(({ key }) => key)).not.toContain('neighbour_ratio');
    expect(figureCells(found.find(({ key }) => key === 'dcr_share')!).slice(1)).toEqual([
      '0.5',
      '0.4 to 0.6',
      '100',
      '0.5',
      'worse',
    ]);
  });

  it('claim nothing of real rows where none were held out, but for attacks, which learn nothing of fresh rows', () => {
    const figure = { ...measured(null), holdout: null, ideal: 1 };
    const realRows = (group: 'fidelity' | 'privacy') => figureCells({ group, key: 'one_way', name: 'a', figure })[4];
    expect(realRows('fidelity')).toBe('–');
    expect(realRows('privacy')).toBe('1');
  });
});

describe('verdicts', () => {
  const judgement = (grade: Judgement['grade']): Judgement => ({
    area: 'likeness',
    grade,
    headline: 'It is.',
    sentences: [],
    next: [],
    inherited: false,
  });

  it('give the tone of the worst one', () => {
    expect(worstTone([judgement('good'), judgement('mixed')])).toBe('fair');
    expect(worstTone([judgement('poor'), judgement('unknown')])).toBe('poor');
    expect(worstTone([])).toBe('open');
  });
});
