import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FIGURE_MEANINGS } from '../../../api/openapi/figureMeanings.ts';
import type { JobRegression } from '../../../packages/contract/regressionMetrics.ts';
import { makeReport } from '../../../packages/synthesis/report/makeReport.ts';
import { modelSection } from '../../../packages/synthesis/report/page/modelPart.ts';
import { SHRINKAGE_NOTE } from '../../../packages/words/report.ts';
import { numbers, reportTaskOf, tableOf } from '../../support/reportTables.ts';

const regression: JobRegression = {
  target: 'mass',
  family: 'gaussian',
  rows: 300,
  method: 'four chains',
  chains: 4,
  draws: 500,
  tune: 500,
  worst_r_hat: 1.004,
  least_bulk_ess: 912,
  least_tail_ess: 734,
  divergences: 0,
  depth_exceeded: 0,
  least_e_bfmi: 0.9,
  pareto_k: null,
  converged: true,
  summary: 'The chains converged.',
  parameters: 1,
  left_out: [],
  coefficients: [
    {
      name: 'bill',
      prior: 'N(0, 2)',
      mean: 1.5,
      sd: 0.1,
      q05: 1.3,
      q95: 1.7,
      r_hat: 1.002,
      bulk_ess: 1234,
      tail_ess: 987,
    },
  ],
  calibrated: true,
  drawn_by: 'regression',
  loo: { elpd: -812.3, se: 15.25, parameters: 4.75, rows: 200, bad_shapes: 3 },
  predictive_p_values: { mean: 0.5, sd: 0.5, zeros: null, least: 0.5, greatest: 0.5 },
  label: null,
  family_choice: {
    family: 'gaussian',
    reason: 'Gaussian predicts best.',
    runner_up: null,
    rows: 250,
    predictors: ['bill'],
    candidates: [
      { family: 'gaussian', log_score: -700.5 },
      { family: 'student_t', log_score: -705.25 },
    ],
  },
};
const numbersOnly = tableOf(numbers('mass', [1, 2, 3]));
const report = makeReport(reportTaskOf(numbersOnly, numbersOnly));

test('a report has each coefficient with its diagnostics, the leave-one-out score and what the family was chosen by', async () => {
  const page = await modelSection({ ...report, metrics: { ...report.metrics, regression } });
  const cells = [...page.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, text]) => text);
  const bill = cells.indexOf('bill');
  expect(cells.slice(bill, bill + 7)).toEqual(['bill', '1.5', '1.3 to 1.7', 'N(0, 2)', '1.002', '1,234', '987']);
  expect(page).toContain('−812 ± 15.25 (200 rows left out in turn; Pareto k is too large in 3 of them)');
  expect(page).toContain('Gaussian predicts best.');
  const other = cells.indexOf('student t');
  expect(cells[other + 1]).toBe('−705');
});

test('of labels it has the levels and, by held-out rows, how well their probabilities are calibrated', async () => {
  const bin = { rows: 40, predicted: 0.25, observed: 0.3, low: 0.18, high: 0.45 };
  const calibration = {
    rows: 90,
    bins: [bin],
    error: 0.05,
    error_by_chance: 0.04,
    accuracy: 0.7,
    log_score: -0.5,
    log_score_of_shares: -0.69,
  };
  const levels = ['low', 'mid', 'high'].map((level) => ({ level, rows: 100 }));
  const label = { levels, ordered: true, calibration };
  const page = await modelSection({
    ...report,
    metrics: { ...report.metrics, regression: { ...regression, label, family_choice: null } },
  });
  expect(page).toContain('calibrated to the shares of the labels');
  expect(page).toContain('continuation ratios');
  expect(page).toContain('5 % (4 %)');
  expect(page).toMatch(/Share of held-out real rows that have a level.*with 95 % intervals/s);
  expect(page).not.toContain('posterior predictive p-value');
});

test('says beside coefficients that shrinkage scales are fixed, and so do the documents and the API', async () => {
  const { metrics } = report;
  const page = await modelSection({ ...report, metrics: { ...metrics, regression } });
  expect(page.split(SHRINKAGE_NOTE)).toHaveLength(3);
  const none = await modelSection({
    ...report,
    metrics: { ...metrics, regression: { ...regression, coefficients: [] } },
  });
  expect(none).not.toContain(SHRINKAGE_NOTE);
  const root = join(import.meta.dirname, '..', '..', '..');
  for (const name of ['results.md', 'numerics-regression.md']) {
    expect(readFileSync(join(root, 'docs', name), 'utf8')).toContain(SHRINKAGE_NOTE);
  }
  expect(FIGURE_MEANINGS.coefficients).toContain(SHRINKAGE_NOTE);
});
