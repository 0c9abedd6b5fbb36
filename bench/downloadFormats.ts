/** A result of 50 MB as JSON Lines, Parquet and a workbook: time, memory, the longest step, and what pandas reads of them. */
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { createStream } from '../packages/numerics/random/createStream.ts';
import type { Bench } from './support/bench.ts';
import { cacheFolder } from './support/cacheFolder.ts';
import { loadLine } from './support/load.ts';
import { printTable } from './support/printTable.ts';
import { execute, preparePython } from './support/python.ts';

const PACKAGES = ['pandas==3.1.1', 'pyarrow==26.0.1', 'openpyxl==3.1.5'];
const NUMERIC = 'count,price';
const ROWS = 1_000_000;
/** openpyxl takes a minute for 100,000 rows. */
const FEW_ROWS = 20_000;

const spentSchema = z.object({ clock: z.number(), cpu: z.number(), longestMs: z.number(), peakMb: z.number() });
const readSchema = z.object({ parquet: z.number(), xlsx: z.number() });

export const bench: Bench = {
  title:
    'A result of 50 MB as JSON Lines, Parquet and a workbook: memory far below that of the whole, and no cell differs',
  async run() {
    const folder = mkdtempSync(join(cacheFolder(), 'formats-'));
    const at = (name: string) => join(folder, name);
    try {
      await write(at('table.csv'), ROWS);
      await write(at('small.csv'), FEW_ROWS);
      const rows = ['jsonl', 'parquet', 'xlsx'].map((format) => {
        const { clock, cpu, longestMs, peakMb } = convert(at('table.csv'), format, at(`table.${format}`));
        return [format, statSync(at(`table.${format}`)).size / 2 ** 20, clock, cpu, longestMs, peakMb];
      });
      printTable(['format', 'MB', 's', 'cpu s', 'longest step ms', 'peak MB'], rows);
      convert(at('small.csv'), 'xlsx', at('small.xlsx'));
      const script = join(import.meta.dirname, 'support', 'readFormats.py');
      const files = ['table.csv', 'table.parquet', 'small.csv', 'small.xlsx'].map(at);
      const found = readSchema.parse(JSON.parse(execute(preparePython('formats', PACKAGES), [script, ...files])));
      console.log(
        `\ncells that pandas reads otherwise than from CSV: ${found.parquet} by pyarrow, ${found.xlsx} by openpyxl`,
      );
      console.log(`of a CSV file of ${(statSync(at('table.csv')).size / 2 ** 20).toFixed(1)} MB; ${loadLine()}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function convert(file: string, format: string, out: string): z.infer<typeof spentSchema> {
  const script = join(import.meta.dirname, 'support', 'convertOnce.ts');
  return spentSchema.parse(JSON.parse(execute(process.execPath, [script, file, format, out, NUMERIC])));
}

async function write(path: string, rows: number): Promise<void> {
  const random = createStream(1, 'formats');
  function* lines(): Generator<string> {
    yield 'count,price,code,remark,day\n';
    for (let row = 0; row < rows; row++) {
      const count = row % 50 === 0 ? '' : random.integer(10_000);
      const code = `0${random.integer(900) + 100}`;
      const day = `2024-0${1 + random.integer(9)}-1${random.integer(10)}`;
      yield `${count},${(1000 * random.uniform()).toFixed(2)},${code},"words, ${random.integer(1_000_000)} of them",${day}\n`;
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(path));
}
