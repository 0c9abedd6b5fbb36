/** docs/measurements.md is what `npm run docs:measurements` makes of docs/measurements/*.json. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ZodError } from 'zod';
import { type Measurement, measurementsPage, parseMeasurement } from '../../scripts/measurementsPage.ts';
import { root } from '../support/imports.ts';

const docs = join(root, 'docs');
const measurement: Measurement = {
  title: 'Speed',
  command: 'npm run bench -- speed',
  tables: [{ title: 'Seconds', header: ['table', 's'], rows: [['penguins', '1.0']] }],
  notes: [],
};

describe('docs/measurements.md', () => {
  it('is up to date: else run npm run docs:measurements', () => {
    expect(readFileSync(join(docs, 'measurements.md'), 'utf8')).toBe(measurementsPage(docs));
  });

  it('has all files of docs/measurements, which holds nothing else', () => {
    const names = readdirSync(join(docs, 'measurements'));
    expect(names.filter((name) => !name.endsWith('.json'))).toEqual([]);
    const page = readFileSync(join(docs, 'measurements.md'), 'utf8');
    expect(page.match(/^## /gm)).toHaveLength(names.length);
  });
});

describe('a file of measurements', () => {
  it('is read', () => {
    expect(parseMeasurement(JSON.stringify(measurement))).toEqual(measurement);
  });

  it.each([
    ['a row that is too short', { tables: [{ title: 'Seconds', header: ['table', 's'], rows: [['penguins']] }] }],
    ['a cell that is no text', { tables: [{ title: 'Seconds', header: ['s'], rows: [[1]] }] }],
    ['more than three notes', { notes: ['a', 'b', 'c', 'd'] }],
    ['no table', { tables: [] }],
    ['a field that the schema lacks', { author: 'someone' }],
  ])('is refused with %s', (_, change) => {
    expect(() => parseMeasurement(JSON.stringify({ ...measurement, ...change }))).toThrow(ZodError);
  });
});
