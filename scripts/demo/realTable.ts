import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Papa from 'papaparse';
import { z } from 'zod';

const filmsSchema = z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()])));

const readData = (name: string): string => {
  const build = dirname(fileURLToPath(import.meta.resolve('vega-datasets')));
  return readFileSync(join(build, '..', 'data', name), 'utf8');
};

export const readFilms = (): string =>
  Papa.unparse(filmsSchema.parse(JSON.parse(readData('movies.json'))), { newline: '\n' });

/** Columns with many levels are slow (50 airports, 225 aircraft). */
const STRIKE_COLUMNS = [
  'Speed IAS in knots',
  'Phase of flight',
  'Wildlife Size',
  'Time of day',
  'Effect Amount of damage',
  'Cost Repair',
  'Cost Other',
  'Cost Total $',
];

/** Every fourth of 10,000 wildlife strikes of aircraft. */
export function readStrikes(): string {
  const { data } = Papa.parse<Record<string, string>>(readData('birdstrikes.csv'), {
    header: true,
    skipEmptyLines: true,
  });
  const rows = data.filter((_, at) => at % 4 === 0);
  return Papa.unparse({ fields: STRIKE_COLUMNS, data: rows }, { newline: '\n' });
}
