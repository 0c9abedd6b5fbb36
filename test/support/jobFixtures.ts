/** Jobs, requests and metrics as tests need them. */

import type { JobEvent } from '../../packages/contract/events.ts';
import type { JobMetrics } from '../../packages/contract/metrics.ts';
import type { JobReceipt, Software } from '../../packages/contract/receipt.ts';
import { NO_RULES, type ReleaseMetrics } from '../../packages/contract/releasePolicy.ts';
import { type GenerateRequest, generateRequestSchema } from '../../packages/contract/requests.ts';

export const AT = '2026-11-03T09:00:00.000Z';
export const LATER = '2026-11-03T10:00:00.000Z';

export const SOFTWARE: Software = {
  name: 'synthetic-tables',
  version: '0.1.0',
  node: 'v24',
  platform: 'linux-x64',
  processor: 'a processor',
  image: null,
};

export const newJob = (id: string, fileName = 'table.csv', createdAt = AT) => ({
  id,
  keyId: 'key-1',
  fileName,
  fileBytes: 10,
  fileSha256: 'c'.repeat(64),
  createdAt,
});

/** What a store says of a job that has just been created. */
export const NOT_STARTED = {
  state: 'uploaded' as const,
  attempt: 0,
  request: null,
  estimate: null,
  progress: [],
  error: null,
  queuedAt: null,
  startedAt: null,
  endedAt: null,
  releasedAt: null,
  metrics: null,
  receipt: null,
};

export const requestFor = (jobId: string): GenerateRequest =>
  generateRequestSchema.parse({ job_id: jobId, target_col: 'x', family: 'gaussian', seed: 7 });

export const RECEIPT: JobReceipt = { manifest_sha256: 'a'.repeat(64), input_salt: 'b'.repeat(64) };

const FIGURES = {
  'KS (Avg)': 0.1,
  'WD (Avg)': null,
  'Corr Diff (F-Norm)': 0.2,
  'DCR (Avg)': 1.5,
  'Duplicate Rate (%)': 0,
  'TSTR R²': 0.5,
  'TSTR RMSE': 2,
};

export const WITHHELD: ReleaseMetrics = {
  policy: { ...NO_RULES, exact_copies: 0 },
  outcome: 'withheld',
  reasons: ['3 rows of the table match a unique real row; the policy allows 0.'],
  found: {
    nearest_train_share_lower: null,
    exact_copies: 3,
    verbatim_text: null,
    membership_auc_lower: null,
    singling_out_excess: null,
    linkability_excess: null,
    attribute_excess: null,
  },
  redrawn: 5,
};

export const METRICS: JobMetrics = {
  numeric: { ...FIGURES, family: 'gaussian' },
  rows_generated: 3000,
  columns: ['x'],
  seed: 7,
  version: '0.1.0',
  verdicts: null,
  regression: null,
  measured_on: null,
  fidelity: null,
  utility: null,
  privacy: null,
  text: null,
  release: null,
  holdout: FIGURES,
  sample_sizes: { 'KS (Avg)': 10 },
  notes: ['WD (Avg): none'],
};

/** An event that is told from others by its rows. */
export const eventOf = (rows: number): JobEvent => ({
  stage: 'load',
  fact: 'table_read',
  rows,
  columns: 1,
  seconds: 0,
});
