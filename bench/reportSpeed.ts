/** Time and size of the report of a made-up table, from figures that the measuring code found, in a process of its own. */
import { join } from 'node:path';
import { z } from 'zod';
import type { Bench } from './support/bench.ts';
import { loadLine } from './support/load.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { execute } from './support/python.ts';

const [ROWS, NUMBERS, CATEGORIES] = [5_000, 10, 10];

const madeSchema = z.object({
  measuring: z.number(),
  data: z.number(),
  page: z.number(),
  pageBytes: z.number(),
  dataBytes: z.number(),
});

export const bench: Bench = {
  title: 'The report of 20 columns in under 2 MB and 3 s',
  async run() {
    console.log(loadLine());
    const script = join(import.meta.dirname, 'support', 'reportInOneProcess.ts');
    const shape = [ROWS, NUMBERS, CATEGORIES].map(String);
    const made = madeSchema.parse(JSON.parse(execute(process.execPath, [script, ...shape])));
    const { measuring, data, page, pageBytes, dataBytes } = made;
    const table = `${ROWS} × ${NUMBERS + CATEGORIES}`;
    const row: TableCell[] = [table, measuring, data, page, data + page, pageBytes, dataBytes];
    printTable(['table', 's measuring', 's data', 's page', 's report', 'bytes of HTML', 'bytes of JSON'], [row]);
    console.log(loadLine());
  },
};
