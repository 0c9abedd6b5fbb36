/** A report's data, as an example. */

import { generateRequestSchema } from '../../domain/schema/generateRequest.ts';
import type { ReportData } from '../../domain/schema/report.ts';
import { statusExample } from './statusExample.ts';

const { job_id: _, ...request } = generateRequestSchema.parse({
  job_id: '0f8c1a…',
  target_col: 'mass',
  continuous_cols: ['bill_length'],
  categorical_cols: ['species'],
  n_samples: 1000,
  seed: 7,
});

if (!statusExample.metrics) throw new Error('the example of a finished job has metrics');

const SPECIES = {
  column: 'species',
  kind: 'levels' as const,
  bins: 3,
  ticks: [
    { at: 0.5, text: 'Adelie' },
    { at: 1.5, text: 'Gentoo' },
    { at: 2.5, text: 'Chinstrap' },
  ],
};

export const reportExample: ReportData = {
  format: 'synthetic-tables-report/1',
  job_id: '0f8c1a…',
  made_at: '2026-11-03T09:05:00.000Z',
  file_name: 'penguins.csv',
  rows: { real: 344, synthetic: 1000 },
  judgements: [
    {
      area: 'likeness',
      grade: 'good',
      headline: 'The rows are as like the real ones as other real rows are.',
      sentences: ['Single columns agree with the real ones to 97.1 %.'],
    },
  ],
  columns: [
    {
      name: 'species',
      role: 'categorical',
      axis: SPECIES,
      real: [0.442, 0.36, 0.198],
      synthetic: [0.44, 0.37, 0.19],
      missing_real: 0,
      missing_synthetic: 0,
      reason: null,
    },
  ],
  columns_left_out: 0,
  associations: {
    columns: ['mass', 'bill_length', 'species'],
    matrices: [{ measure: 'spearman', pairs: [{ columns: [0, 1], real: 0.58, synthetic: 0.57 }] }],
  },
  contingencies: [],
  scatters: [],
  distances: null,
  text_samples: [],
  request,
  software: {
    name: 'synthetic-tables',
    version: '0.1.0',
    node: 'v24.21.0',
    platform: 'linux-x64',
    processor: 'a processor',
    image: null,
  },
  metrics: statusExample.metrics,
};
