/** What a receipt says, of a file of three bytes: "abc". */

import type { FoundFile } from '../../cli/verifyReceipt.ts';
import type { Manifest } from '../../packages/contract/receipt.ts';
import { AT, METRICS, requestFor, SOFTWARE } from './jobFixtures.ts';

export const FILE: FoundFile = {
  bytes: 3,
  sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
};

export function manifestOf() {
  const { job_id: _, ...request } = requestFor('a');
  const manifest = {
    format: 'synthetic-tables-receipt/1' as const,
    job_id: 'a',
    made_at: AT,
    input: { name: 'table.csv', bytes: 10, sha256: '0'.repeat(64) },
    output: { name: 'synthetic_data.csv', ...FILE, rows: 1, columns: ['x'] },
    request: { ...request, conditions: [], policy: null },
    software: { ...SOFTWARE },
    metrics: structuredClone(METRICS),
  } satisfies Manifest;
  return manifest;
}
