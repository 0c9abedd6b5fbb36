/** A shared table with a column of text, its rows of distinct texts in two parts: to learn from, and a random tenth held out. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { textEnvironment, textOpener, textSettings } from '../../gpu-job/openText.ts';
import { createStream } from '../../packages/numerics/random/createStream.ts';
import type { ModelTable, TextResources } from '../../packages/synthesis/models/model.ts';
import { takeRows } from '../../packages/synthesis/table/takeRows.ts';
import { readSharedTable } from '../support/sharedTables.ts';

/** The engine and the base of a job: that which TEXT_BASE names, or the small one of the package. */
export const openResources = (): Promise<TextResources> =>
  textOpener(textSettings(z.object(textEnvironment).parse(process.env)))();

/** The shared table, and the columns that tell of the row; of "movies", vega-datasets' titles alone. */
export function readCase(folder: string, name: string): { table: ModelTable; given: string[] } {
  if (name === 'movies') return { table: filmTitles(), given: [] };
  const { table, roles } = readSharedTable(folder, name);
  return {
    table,
    given: [...roles.categorical, ...roles.continuous, ...(roles.target === null ? [] : [roles.target])],
  };
}

const filmsSchema = z.array(z.object({ Title: z.union([z.string(), z.number()]).nullable() }));

function filmTitles(): ModelTable {
  const path = join(import.meta.dirname, '..', '..', 'node_modules', 'vega-datasets', 'data', 'movies.json');
  const films = filmsSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  const values = films.map(({ Title }) => (Title === null ? null : String(Title)));
  return { rows: values.length, columns: new Map([['Title', { name: 'Title', kind: 'text', values }]]) };
}

/** Rows of distinct texts, a random tenth of them apart. */
export function parted(table: ModelTable, column: string): { training: ModelTable; heldOut: ModelTable } {
  const own = table.columns.get(column);
  const seen = new Set<string>();
  const rows = Array.from({ length: table.rows }, (_, row) => row).filter((row) => {
    const text = own?.kind === 'text' ? own.values[row] : null;
    if (!text || seen.has(text)) return false;
    seen.add(text);
    return true;
  });
  const random = createStream(1, 'held out of the bench');
  const isHeld = rows.map(() => random.uniform() < 0.1);
  return {
    training: takeRows(table, Int32Array.from(rows.filter((_, k) => !isHeld[k]))),
    heldOut: takeRows(table, Int32Array.from(rows.filter((_, k) => isHeld[k]))),
  };
}
