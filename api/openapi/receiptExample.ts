/** A receipt, as an example. */
import type { Receipt } from '../../domain/receipt/receipt.ts';

export const receiptExample: Receipt = {
  manifest: {
    format: 'synthetic-tables-receipt/1',
    job_id: '0f8c1a…',
    made_at: '2026-11-03T09:05:00.000Z',
    input: {
      name: 'penguins.csv',
      bytes: 13478,
      sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    },
    output: {
      name: 'synthetic_data.csv',
      bytes: 39114,
      sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      rows: 1000,
      columns: ['species', 'bill_length', 'mass'],
    },
    request: { target_col: 'mass', continuous_cols: ['bill_length'], categorical_cols: ['species'], seed: 7 },
    software: {
      name: 'synthetic-tables',
      version: '0.1.0',
      node: 'v24.21.0',
      platform: 'linux-x64',
      processor: 'a processor',
      image: null,
    },
    metrics: {},
  },
  signature: {
    algorithm: 'Ed25519',
    key_id: '0123456789abcdef',
    public_key: '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
    value: '5VZDAMNgrHKQhuLMgG6CioSHfx64…',
  },
};
