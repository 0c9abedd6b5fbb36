/** Real rows in disguise are called poor, on a table that nobody made up. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { sharedFile } from '../../../bench/support/sharedTables.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { shuffledRows } from '../../../packages/numerics/random/draws.ts';
import { compare, type Row } from '../../../packages/synthesis/index.ts';
import { readStrikes } from '../../../scripts/demo/realTable.ts';
import { MASKS } from '../../support/maskedRows.ts';
import { sharedDir } from '../../support/shared.ts';

const ROWS = 1_000;

const STRIKES = {
  target_col: 'Speed IAS in knots',
  continuous_cols: ['Cost Repair', 'Cost Other', 'Cost Total $'],
  categorical_cols: ['Phase of flight', 'Wildlife Size', 'Time of day', 'Effect Amount of damage'],
};

/** Adult where the shared tables are, else the demo's. */
function realTable() {
  if (sharedDir === undefined) return { text: readStrikes(), fields: STRIKES };
  const { path, fields } = sharedFile(join(sharedDir, 'data'), 'adult');
  const { text_cols: _, ...roles } = fields;
  return { text: readFileSync(path, 'utf8'), fields: { target_col: '', ...roles } };
}

const { text, fields } = realTable();
const all = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true }).data;
const order = shuffledRows(all.length, createStream(1, 'order'));
const part = (at: number): Row[] => [...order.slice(at * ROWS, (at + 1) * ROWS)].map((row) => all[row]!);
const [real, held] = [part(0), part(1)];
const numbers = [fields.target_col, ...fields.continuous_cols];

async function privacyOf(rows: readonly Row[]): Promise<string | undefined> {
  const { verdicts } = await compare(real, rows, fields, { holdout: held, seed: 1 });
  return verdicts.find(({ area }) => area === 'privacy')?.grade;
}

describe('a table made elsewhere, beside a real one', () => {
  it.each(Object.entries(MASKS))('is called poor where it is %s', async (_, mask) => {
    expect(await privacyOf(mask(real, numbers))).toBe('poor');
  });
});
