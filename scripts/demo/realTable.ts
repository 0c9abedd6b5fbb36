/** The demo's real table: 3,201 films, with numbers, categories, dates, titles and many missing cells. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Papa from 'papaparse';
import { z } from 'zod';

const filmsSchema = z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()])));

/** The films of the package `vega-datasets`, as a CSV file. */
export function readFilms(): string {
  const build = dirname(fileURLToPath(import.meta.resolve('vega-datasets')));
  const path = join(build, '..', 'data', 'movies.json');
  return Papa.unparse(filmsSchema.parse(JSON.parse(readFileSync(path, 'utf8'))), { newline: '\n' });
}
