/** A CSV file of 50 MB over a socket: from the first byte to the answer, against papaparse alone over the same file. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import type { Bench } from './support/bench.ts';
import { type LargeFile, largeFiles } from './support/largeFile.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { median } from './support/quantile.ts';
import { type BenchServer, peakMegabytes, startServer, uploadFile } from './support/server.ts';

const REPEATS = 3;
const AT_ONCE = 3;

const bareSchema = z.object({ seconds: z.number(), rows: z.number() });

export const bench: Bench = {
  title: 'Upload of 50 MB: at most 3 × bare papaparse, server below 400 MB; and three at once',
  async run() {
    const rows: TableCell[][] = [];
    for (const file of largeFiles()) rows.push(await measureFile(file));
    const header = ['table', 'rows', 'papaparse s', 'upload s', 'ratio', 'peak MB', '3 at once s', '3 at once peak MB'];
    printTable(header, rows);
  },
};

async function measureFile(file: LargeFile): Promise<TableCell[]> {
  const one = await withServer(async (server) => {
    const bare: number[] = [];
    const uploads = [];
    // By turns, so that whatever else the machine does slows both alike.
    for (let i = 0; i < REPEATS; i++) {
      bare.push(parseBare(file.path));
      uploads.push(await uploadFile(server, file.path));
    }
    const seconds = median(uploads.map((upload) => upload.seconds));
    return { rows: uploads[0]!.rows, bare: median(bare), seconds, peak: peakMegabytes(server.pid) };
  });
  const three = await withServer(async (server) => {
    const uploads = await Promise.all(Array.from({ length: AT_ONCE }, () => uploadFile(server, file.path)));
    return { seconds: Math.max(...uploads.map((u) => u.seconds)), peak: peakMegabytes(server.pid) };
  });
  return [file.name, one.rows, one.bare, one.seconds, one.seconds / one.bare, one.peak, three.seconds, three.peak];
}

function parseBare(path: string): number {
  const script = join(import.meta.dirname, 'support', 'barePapaparse.ts');
  return bareSchema.parse(JSON.parse(execFileSync(process.execPath, [script, path], { encoding: 'utf8' }))).seconds;
}

async function withServer<T>(measure: (server: BenchServer) => Promise<T>): Promise<T> {
  const server = await startServer();
  try {
    return await measure(server);
  } finally {
    await server.stop();
  }
}
