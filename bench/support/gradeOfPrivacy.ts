/** The grade that the judge gives for the privacy of a table, from the figures of attacks alone. */
import type { Grade } from '../../packages/contract/grades.ts';
import type { PrivacyMetrics } from '../../packages/contract/metrics.ts';
import { judge } from '../../packages/synthesis/judge/verdicts/judge.ts';

export function gradeOfPrivacy(privacy: PrivacyMetrics): Grade {
  const rest = { rows_generated: 0, columns: [], seed: 0, version: '', notes: [], sample_sizes: {} };
  const none = { regression: null, release: null, measured_on: null, fidelity: null, utility: null, text: null };
  const verdicts = judge({ ...rest, ...none, numeric: { ...NO_NUMBERS, family: null }, holdout: null, privacy });
  return verdicts.find(({ area }) => area === 'privacy')?.grade ?? 'unknown';
}

const NO_NUMBERS = {
  'KS (Avg)': null,
  'WD (Avg)': null,
  'Corr Diff (F-Norm)': null,
  'DCR (Avg)': null,
  'Duplicate Rate (%)': null,
  'TSTR R²': null,
  'TSTR RMSE': null,
};
