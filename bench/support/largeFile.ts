/** CSV files as large as an upload may be: a real table repeated, its ids counted on so that no row comes twice. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import Papa from 'papaparse';
import { z } from 'zod';
import { UPLOAD } from '../../packages/contract/files.ts';
import { cacheFolder } from './cacheFolder.ts';
import { sharedData } from './sharedTables.ts';

export interface LargeFile {
  name: string;
  path: string;
  /** A numeric column that could be a target; null where the table has none. */
  target: string | null;
}

/** Many short cells, and long text with line breaks inside quotes; without the shared tables a table of flights. */
export function largeFiles(): LargeFile[] {
  if (sharedData === undefined) return [largeFile('flights', 'delay', readFlights(), 'id')];
  const read = (name: string) => readFileSync(join(sharedData!, `${name}.csv`), 'utf8');
  return [
    largeFile('ohlsson_motorcycle', 'agarald', read('ohlsson_motorcycle'), 'rownames'),
    largeFile('airline_tweets', null, read('airline_tweets'), 'tweet_id'),
  ];
}

const largeFile = (name: string, target: string | null, text: string, idColumn: string): LargeFile => ({
  name,
  path: keptFile(`${name}-${UPLOAD.maxBytes}.csv`, () => repeatTable(text, idColumn, UPLOAD.maxBytes)),
  target,
});

/** The path of a file that is made once. */
export function keptFile(name: string, make: () => string | Uint8Array): string {
  const path = join(cacheFolder(), name);
  if (!existsSync(path)) {
    writeFileSync(`${path}.part`, make());
    renameSync(`${path}.part`, path);
  }
  return path;
}

/** The rows of a CSV text over and over, up to `bytes` of UTF-8 in all, with `idColumn` set to 1, 2, 3 … */
export function repeatTable(text: string, idColumn: string, bytes: number): string {
  const [header = [], ...rows] = Papa.parse<string[]>(text, { skipEmptyLines: true }).data;
  const at = header.indexOf(idColumn);
  if (at < 0 || rows.length === 0) throw new RangeError(`no rows with a column ${idColumn} to repeat`);
  const lines = [Papa.unparse([header])];
  let length = Buffer.byteLength(lines[0]!) + 1;
  for (let id = 1; ; id++) {
    const line = Papa.unparse([rows[(id - 1) % rows.length]!.with(at, `${id}`)]);
    length += Buffer.byteLength(line) + 1;
    if (length > bytes) return `${lines.join('\n')}\n`;
    lines.push(line);
  }
}

const flightsSchema = z.array(z.record(z.string(), z.union([z.number(), z.string(), z.null()])));

function readFlights(): string {
  const path = createRequire(import.meta.url).resolve('vega-datasets/data/flights-200k.json');
  const flights = flightsSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  return Papa.unparse(flights.map((flight, id) => ({ id, ...flight })));
}
