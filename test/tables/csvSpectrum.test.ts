import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readCsv } from '../../packages/tables/readCsv.ts';
import { bytesOf } from '../support/bytes.ts';

const spectrum = dirname(createRequire(import.meta.url).resolve('csv-spectrum/package.json'));
const cases = readdirSync(join(spectrum, 'csvs')).map((file) => file.replace(/\.csv$/, ''));
const rowSchema = z.record(z.string(), z.string());
// One case gives its only row without a list around it.
const expectedSchema = z.union([z.array(rowSchema), rowSchema.transform((row) => [row])]);

/** Cells that the suite's answer has otherwise than its file: the number was replaced in one of the two only. */
const ERRATA: Readonly<Record<string, Record<string, string>>> = {
  location_coordinates: { 'Contact Phone Number': '2095257564' },
};

async function rowsOf(bytes: Uint8Array): Promise<Record<string, string>[]> {
  let names: string[] = [];
  const rows: Record<string, string>[] = [];
  const sink = {
    header: (header: string[]) => {
      names = header;
    },
    row: (cells: string[]) => {
      rows.push(Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])));
    },
  };
  await readCsv(bytesOf(bytes), { encoding: 'utf-8', markBytes: 0 }, sink);
  return rows;
}

describe('csv-spectrum, a public suite of CSV files with the rows that they hold', () => {
  it('has at least its twelve cases', () => {
    expect(cases.length).toBeGreaterThanOrEqual(12);
  });

  it.each(cases)('%s', async (name) => {
    const expected = expectedSchema.parse(JSON.parse(readFileSync(join(spectrum, 'json', `${name}.json`), 'utf8')));
    const corrected = expected.map((row) => ({ ...row, ...ERRATA[name] }));
    expect(await rowsOf(readFileSync(join(spectrum, 'csvs', `${name}.csv`)))).toEqual(corrected);
  });
});
