/** `npm run demo`. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import { metricsTable, textTable, verdictLines } from '../cli/tables.ts';
import { SyntheticTables } from '../packages/client/client.ts';
import type { JobMetrics, UploadReply } from '../packages/client/contract.ts';
import { roleFields, suggestedRoles } from '../packages/contract/roles.ts';
import { readStrikes } from './demo/realTable.ts';
import { startService } from './demo/startService.ts';

function sideBySide(columns: string[], real: string[][], synthetic: string[][], width: number): string {
  const cellWidth = 14;
  const shown = Math.max(1, Math.min(columns.length, Math.floor((width - 4) / (2 * (cellWidth + 2)))));
  const cut = (text: string) => (text.length > cellWidth ? `${text.slice(0, cellWidth - 1)}…` : text);
  const header = columns.slice(0, shown).map(cut);
  const rows = real.map((row, i) => [
    ...row.slice(0, shown).map(cut),
    '|',
    ...(synthetic[i] ?? []).slice(0, shown).map(cut),
  ]);
  const table = textTable([...header, '|', ...header], rows);
  const half = shown * (cellWidth + 2);
  const hidden = columns.slice(shown);
  const rest = hidden.length > 0 ? `\n(not shown here: ${hidden.join(', ')})` : '';
  return `${'REAL'.padEnd(half)}SYNTHETIC\n${table}${rest}`;
}

const folder = join(import.meta.dirname, '..', 'demo-data');
const SEED = 7;

const TARGET = 'Speed IAS in knots';

/** The automatic choice has heavier tails and misses the mean. */
const FAMILY = 'gaussian' as const;

function prepareFolder(): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}

const requestOf = (upload: UploadReply, rows: number) => ({
  ...roleFields(suggestedRoles(upload, TARGET)),
  job_id: upload.job_id,
  target_col: TARGET,
  family: FAMILY,
  n_samples: rows,
  seed: SEED,
});

async function follow(service: SyntheticTables, jobId: string): Promise<JobMetrics> {
  const onProgress = (_: unknown, lines: readonly string[]) => {
    for (const line of lines) console.log(`  ${line}`);
  };
  return (await service.wait(jobId, { onProgress })).metrics;
}

function showRows(realText: string, syntheticText: string): void {
  const synthetic = Papa.parse<string[]>(syntheticText, { skipEmptyLines: true }).data;
  const columns = synthetic[0] ?? [];
  const real = Papa.parse<Record<string, string>>(realText, { header: true, skipEmptyLines: true }).data;
  const step = Math.max(1, Math.floor(real.length / 10));
  const realRows = Array.from({ length: 10 }, (_, i) => columns.map((name) => real[i * step]?.[name] ?? ''));
  console.log(sideBySide(columns, realRows, synthetic.slice(1, 11), process.stdout.columns ?? 150));
}

async function demo(): Promise<void> {
  prepareFolder();
  const realText = readStrikes();
  const realPath = join(folder, 'strikes.csv');
  const syntheticPath = join(folder, 'synthetic_data.csv');
  writeFileSync(realPath, realText);
  const service = await startService(join(folder, 'service'), join(folder, 'service.log'));
  try {
    console.log(`The service listens on ${service.url}\n`);
    const client = new SyntheticTables(service);
    const upload = await client.upload(realText, 'strikes.csv');
    console.log(`Uploaded strikes.csv: ${upload.n_rows} rows, ${upload.columns.length} columns. The service detected:`);
    for (const column of upload.profile.columns)
      console.log(`  ${column.name.padEnd(24)} ${column.kind.padEnd(12)} → ${column.suggested_role}`);
    for (const warning of upload.warnings) console.log(`  ! ${warning}`);
    const request = requestOf(upload, upload.n_rows);
    const { family } = await client.detectFamily(upload.job_id, request.target_col);
    console.log(`\nFamily of ${TARGET}: ${family} fits best; ${FAMILY}, which keeps the mean, is asked for`);
    await client.generate(request);
    console.log('\nGenerating:');
    const metrics = await follow(client, upload.job_id);
    const syntheticText = await new Response((await client.download(upload.job_id)).body).text();
    writeFileSync(syntheticPath, syntheticText);
    console.log(`\n${metricsTable(metrics)}\n`);
    for (const line of verdictLines(metrics.verdicts ?? [])) console.log(line);
    for (const note of metrics.notes) console.log(`  note: ${note}`);
    showRows(realText, syntheticText);
    console.log(`\nReal table:      ${realPath}\nSynthetic table: ${syntheticPath}`);
  } finally {
    await service.stop();
  }
}

await demo();
