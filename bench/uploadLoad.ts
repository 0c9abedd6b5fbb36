/** What large uploads do to the rest of the server: GET /health beside them, its memory, and workbooks of many cells. */
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Bench } from './support/bench.ts';
import { callDuring } from './support/callSteadily.ts';
import { decoratedFile } from './support/decoratedFile.ts';
import { largeFiles } from './support/largeFile.ts';
import { largeWorkbook } from './support/largeWorkbook.ts';
import { loadLine } from './support/load.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { quantile } from './support/quantile.ts';
import { firstThread, peakMegabytes, startServer } from './support/server.ts';
import { uploadInThread } from './support/uploadInThread.ts';

const AT_ONCE = 3;
const HEADER = 'upload,answers,seconds,calls,median ms,99 % ms,largest ms,ran ms,waited ms,peak MB'.split(',');
const WORKBOOK_ROWS = [80_000, 200_000];

export const bench: Bench = {
  title: '/health during uploads of 50 MB: 99 % below 50 ms; three at once: below 1 GB; .xlsx: 1.5 × the bare library',
  async run() {
    const files = [...largeFiles(), decoratedFile()];
    const rows: TableCell[][] = [];
    for (const { name, path } of files) rows.push([name, ...(await beside([path]))]);
    const paths = Array.from({ length: AT_ONCE }, (_, i) => files[i % files.length]!.path);
    rows.push([`${AT_ONCE} at once`, ...(await beside(paths))]);
    printTable(HEADER, rows);
    console.log(
      `\nran, waited: the server's first thread, which waits for a core where others have them; ${loadLine()}\n`,
    );
    const workbooks: TableCell[][] = [];
    for (const count of WORKBOOK_ROWS) workbooks.push(await ofWorkbook(count));
    printTable(['rows × 20', 'MB', 'library s', 'library MB', 'upload s', 'ratio', 'peak MB', 'answer'], workbooks);
  },
};

/** Uploads the files at once, with GET /health beside them by another caller. */
async function beside(paths: readonly string[]): Promise<TableCell[]> {
  const server = await startServer();
  try {
    const before = firstThread(server.pid);
    const uploads = Promise.all(paths.map((path) => uploadInThread(server, path)));
    const latencies = await callDuring(server, '/health', uploads);
    const answers = await uploads;
    const seconds = Math.max(...answers.map((answer) => answer.seconds));
    const said = answers.map(({ text }) => text).join(', ');
    const figures = [latencies.length, quantile(latencies, 0.5), quantile(latencies, 0.99), Math.max(...latencies)];
    const after = firstThread(server.pid);
    const thread = [after && before && after.ranMs - before.ranMs, after && before && after.waitedMs - before.waitedMs];
    return [said, seconds, ...figures, ...thread, peakMegabytes(server.pid)];
  } finally {
    await server.stop();
  }
}

const bareSchema = z.object({ seconds: z.number(), peakMb: z.number() });

async function ofWorkbook(rows: number): Promise<TableCell[]> {
  const path = largeWorkbook(rows);
  const script = join(import.meta.dirname, 'support', 'bareXlsx.ts');
  const bare = bareSchema.parse(JSON.parse(execFileSync(process.execPath, [script, path], { encoding: 'utf8' })));
  const server = await startServer();
  try {
    const { seconds, text } = await uploadInThread(server, path);
    const peak = peakMegabytes(server.pid);
    return [
      rows,
      statSync(path).size / 2 ** 20,
      bare.seconds,
      bare.peakMb,
      seconds,
      seconds / bare.seconds,
      peak,
      text,
    ];
  } finally {
    await server.stop();
  }
}
