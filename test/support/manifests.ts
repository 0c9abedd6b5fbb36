/** What a receipt says, of a file of three bytes: "abc". */

import type { FoundFile } from '../../cli/verifyReceipt.ts';
import type { Manifest } from '../../packages/contract/receipt.ts';
import { AT, METRICS, requestFor, SOFTWARE } from './jobFixtures.ts';

export const FILE: FoundFile = {
  bytes: 3,
  sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
};

/** "table", and what it is behind a salt of 32 zeros. */
export const SALT = '0'.repeat(64);
export const INPUT = {
  bytes: 5,
  sha256: '0d4fc4a78d3706edccafb665a8b2fdd9309e82c78625bb0f2b8e7bb9e1c4d21c',
  commitment: '381236475d42c860e9aeb44ffdde2681d0abe8186c25bb1b05c2d7f67601e4c3',
};

export function manifestOf() {
  const { job_id: _, ...request } = requestFor('a');
  const manifest = {
    format: 'synthetic-tables-receipt/2' as const,
    job_id: 'a',
    made_at: AT,
    input: { name: 'table.csv', commitment: INPUT.commitment },
    output: { name: 'synthetic_data.csv', ...FILE, rows: 1, columns: ['x'] },
    request: { ...request, conditions: [], policy: null },
    software: { ...SOFTWARE },
    metrics: { ...structuredClone(METRICS), release: null },
  } satisfies Manifest;
  return manifest;
}
