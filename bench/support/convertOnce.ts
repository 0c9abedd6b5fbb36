/** Reads a CSV file as a result and writes it as another format: node convertOnce.ts FILE FORMAT OUT NUMERIC,NAMES */
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { findCellTypes } from '../../packages/tables/records.ts';
import { toJsonLines } from '../../packages/tables/toJsonLines.ts';
import { toParquet } from '../../packages/tables/toParquet.ts';
import { toWorkbook } from '../../packages/tables/toWorkbook.ts';

const [file = '', format = '', out = '', numeric = ''] = process.argv.slice(2);
/** What stores give at a time. */
const open = () => createReadStream(file, { highWaterMark: 65_536 });

let longest = 0;
async function* timed(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let last = performance.now();
  for await (const piece of pieces) {
    longest = Math.max(longest, performance.now() - last);
    yield piece;
    last = performance.now();
  }
}

const start = performance.now();
const types = await findCellTypes(open(), new Set(numeric.split(',')));
const made =
  format === 'parquet'
    ? toParquet(open(), types.columns)
    : format === 'xlsx'
      ? toWorkbook(open(), types)
      : toJsonLines(open());
await pipeline(timed(made), createWriteStream(out));
const { user, system } = process.cpuUsage();
const clock = (performance.now() - start) / 1000;
const peakMb = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ clock, cpu: (user + system) / 1e6, longestMs: longest, peakMb }));
