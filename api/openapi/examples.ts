import type { Receipt, Software } from '../../packages/contract/receipt.ts';
import type { StatusReply, UploadReply } from '../../packages/contract/replies.ts';
import { VERSION } from '../../packages/contract/version.ts';

export const rolesExample = {
  target_col: 'body_mass_g',
  continuous_cols: ['bill_length_mm', 'flipper_length_mm'],
  categorical_cols: ['species', 'island', 'sex'],
};

export const softwareExample: Software = {
  name: 'synthetic-tables',
  version: VERSION,
  node: 'v24.21.0',
  platform: 'linux-x64',
  processor: 'a processor',
  image: null,
};

export const uploadExample: UploadReply = {
  job_id: '0f8c1a…',
  columns: ['species', 'body_mass_g'],
  col_types: { species: 'categorical', body_mass_g: 'continuous' },
  n_rows: 344,
  warnings: ['Column "body_mass_g" has 2 missing values (0.6 %); the synthetic column keeps the same share.'],
  preview: [
    ['Adelie', '3750'],
    ['Adelie', '3800'],
    ['Adelie', null],
  ],
  suggested_target: {
    column: 'body_mass_g',
    reason: 'it is the last number in the table and the other columns explain about 80 % of its variation',
  },
  profile: {
    columns: [
      {
        name: 'species',
        kind: 'categorical',
        confidence: 0.98,
        suggested_role: 'categorical',
        evidence: ['texts that repeat: 3 distinct texts in 344 cells'],
        runner_up: null,
        format: null,
        missing: 0,
        missing_tokens: [],
        distinct: 3,
        picture: {
          kind: 'levels',
          levels: [
            ['Adelie', 152],
            ['Gentoo', 124],
            ['Chinstrap', 68],
          ],
          others: 0,
        },
      },
    ],
    relations: [
      {
        kind: 'copy',
        column: 'weight',
        of: 'body_mass_g',
        rows: 344,
        sentence: 'Column "weight" is a copy of "body_mass_g" in all 344 rows examined.',
      },
    ],
  },
};

export const statusExample: StatusReply = {
  job_id: '0f8c1a…',
  status: 'done',
  file_name: 'penguins.csv',
  progress: [
    'Target model: Bayesian regression by NUTS for "body_mass_g" (family gaussian, 1,000 posterior draws)',
    'Pipeline finished: 1,000 rows of 3 columns in 12.3 s (16.2 CPU seconds)',
  ],
  events: [
    {
      stage: 'start',
      fact: 'target_model',
      model: 'Bayesian regression by NUTS',
      column: 'body_mass_g',
      family: 'gaussian',
      draws: 1000,
      seconds: 0,
    },
    { stage: 'done', fact: 'finished', rows: 1000, columns: 3, seconds: 12.3, cpu_seconds: 16.2 },
  ],
  metrics: {
    numeric: {
      'KS (Avg)': 0.031,
      'WD (Avg)': 0.042,
      'Corr Diff (F-Norm)': 0.11,
      'DCR (Avg)': 0.37,
      'Duplicate Rate (%)': 0,
      'TSTR R²': 0.76,
      'TSTR RMSE': 391.2,
      family: 'gaussian',
    },
    rows_generated: 1000,
    columns: ['species', 'bill_length_mm', 'body_mass_g'],
    seed: 7,
    version: VERSION,
    verdicts: [
      {
        area: 'model',
        grade: 'good',
        headline: 'The fit of the target model is reliable.',
        sentences: ['"body_mass_g" was modelled as gaussian, fitted to 342 rows.'],
        next: [],
        inherited: false,
      },
    ],
    regression: {
      target: 'body_mass_g',
      family: 'gaussian',
      rows: 342,
      method: '4 chains of the no-U-turn sampler',
      chains: 4,
      draws: 1000,
      tune: 1000,
      worst_r_hat: 1.001,
      least_bulk_ess: 3850,
      least_tail_ess: 2710,
      divergences: 0,
      depth_exceeded: 0,
      least_e_bfmi: 0.97,
      pareto_k: null,
      converged: true,
      summary: 'The chains converged (R-hat 1.001, smallest effective sample size 3,850, 0 divergences).',
      parameters: 9,
      left_out: [],
      coefficients: [
        {
          name: 'bill_length_mm',
          prior: 'N(0, 1.2)',
          mean: 0.41,
          sd: 0.05,
          q05: 0.33,
          q95: 0.49,
          r_hat: 1.001,
          bulk_ess: 4012,
          tail_ess: 2904,
        },
      ],
      calibrated: true,
      loo: { elpd: -2421.6, se: 13.1, parameters: 8.4, rows: 342, bad_shapes: 0 },
      predictive_p_values: { mean: 0.49, sd: 0.52, zeros: null, least: 0.3, greatest: 0.71 },
      label: null,
      family_choice: null,
      drawn_by: 'regression',
    },
    measured_on: null,
    fidelity: null,
    utility: null,
    privacy: null,
    text: null,
    release: null,
    holdout: null,
    sample_sizes: { real: 342, synthetic: 1000 },
    notes: ['holdout is null: the table has fewer than 500 rows'],
  },
  error: null,
};

export const receiptExample: Receipt = {
  manifest: {
    format: 'synthetic-tables-receipt/2',
    job_id: '0f8c1a…',
    made_at: '2026-11-03T09:05:00.000Z',
    input: {
      name: 'penguins.csv',
      commitment: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    },
    output: {
      name: 'synthetic_data.csv',
      bytes: 39114,
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      rows: 1000,
      columns: ['species', 'bill_length_mm', 'body_mass_g'],
    },
    request: { target_col: 'body_mass_g', continuous_cols: ['bill_length_mm'], categorical_cols: ['species'], seed: 7 },
    software: softwareExample,
    metrics: {},
  },
  signature: {
    algorithm: 'Ed25519',
    key_id: '0123456789abcdef0123456789abcdef',
    public_key: '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
    value: '5VZDAMNgrHKQhuLMgG6CioSHfx64…',
  },
};
