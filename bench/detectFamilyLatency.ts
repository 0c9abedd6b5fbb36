/** POST /detect_family after an upload of 50 MB: how long it takes and how much the server reads for it. */
import type { Bench } from './support/bench.ts';
import { type LargeFile, largeFiles } from './support/largeFile.ts';
import { printTable, type TableCell } from './support/printTable.ts';
import { median } from './support/quantile.ts';
import { type BenchServer, bytesRead, startServer, uploadFile } from './support/server.ts';

const REPEATS = 10;

export const bench: Bench = {
  title: 'POST /detect_family after 50 MB: below 1 s, without reading the file',
  async run() {
    const rows: TableCell[][] = [];
    const server = await startServer();
    try {
      for (const file of largeFiles()) {
        if (file.target !== null) rows.push(await measureFile(server, file, file.target));
      }
    } finally {
      await server.stop();
    }
    printTable(['table', 'target', 'family', 'first ms', 'median ms', 'largest ms', 'MB read a call'], rows);
  },
};

async function measureFile(server: BenchServer, file: LargeFile, target: string): Promise<TableCell[]> {
  const { jobId } = await uploadFile(server, file.path);
  const before = bytesRead(server.pid);
  const times: number[] = [];
  let family = '';
  for (let i = 0; i < REPEATS; i++) {
    const start = performance.now();
    family = await server.client.detectFamily(jobId, target);
    times.push(performance.now() - start);
  }
  const after = bytesRead(server.pid);
  const read = before === undefined || after === undefined ? null : (after - before) / REPEATS / 2 ** 20;
  return [file.name, target, family, times[0], median(times), Math.max(...times), read];
}
