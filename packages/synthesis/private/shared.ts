/** What may be shared of a private table's metrics: nothing that was computed from real rows but by the curator. */
import type { JobMetrics } from '../../contract/metrics.ts';

/** The metrics as they are where no privacy was promised; else those that a receipt may show. */
export function shareable(metrics: JobMetrics): JobMetrics {
  const { formal_privacy, verdicts, rows_generated, columns, seed, version } = metrics;
  if (!formal_privacy) return metrics;
  const unknown = { 'KS (Avg)': null, 'WD (Avg)': null, 'Corr Diff (F-Norm)': null, 'DCR (Avg)': null };
  return {
    ...{ rows_generated, columns, seed, version, formal_privacy },
    numeric: { ...unknown, 'Duplicate Rate (%)': null, 'TSTR R²': null, 'TSTR RMSE': null, family: null },
    verdicts: (verdicts ?? []).flatMap(({ sentences, ...own }) =>
      own.area === 'privacy' ? [{ ...own, sentences: sentences.slice(0, PROMISE_SENTENCES) }] : [],
    ),
    ...{ regression: null, measured_on: null, fidelity: null, utility: null, privacy: null, text: null },
    ...{ release: null, holdout: null, sample_sizes: {}, notes: [] },
  };
}

/** Sentences of the promise itself; those behind them are of attacks on real rows. */
const PROMISE_SENTENCES = 2;
