/** docs/notebook.md: its cells, run by Python in their order as they stand there, with the address and the key filled in. */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { preparePython } from '../../bench/support/python.ts';
import { root } from '../support/imports.ts';
import { type LiveServer, startServer } from '../support/liveServer.ts';
import { makeFolder } from '../support/temporaryFolder.ts';

const PACKAGES = ['requests==2.32.5', 'pandas==2.3.3', 'ipython==8.37.0'];

/** What the cells have left behind, for the test to look at. */
const LOOK = `
import json
print("FOUND " + json.dumps({
    "columns": list(synthetic.columns), "real": list(real.columns), "rows": len(synthetic), "more": len(more),
    "grades": [verdict["grade"] for verdict in metrics["verdicts"]], "figures": list(figures.index),
    "jobs": call("GET", "/health")["total_jobs"],
}))
`;

const foundSchema = z.object({
  columns: z.array(z.string()),
  real: z.array(z.string()),
  rows: z.number(),
  more: z.number(),
  grades: z.array(z.string()),
  figures: z.array(z.string()),
  jobs: z.number(),
});

const folder = makeFolder();
let server: LiveServer;

beforeAll(async () => {
  server = await startServer();
  mkdirSync(join(folder.path, 'examples'));
  copyFileSync(join(root, 'examples', 'appointments.csv'), join(folder.path, 'examples', 'appointments.csv'));
});

afterAll(async () => {
  await server.stop();
  folder.remove();
});

it('takes a DataFrame to a synthetic one, its figures, its report and more rows', async () => {
  const page = readFileSync(join(root, 'docs', 'notebook.md'), 'utf8');
  const cells = [...page.matchAll(/^```python\n([\s\S]*?)^```$/gm)].map(([, cell = '']) => cell);
  const filledIn = `${cells.join('\n')}${LOOK}`
    .replaceAll('http://127.0.0.1:8080', server.url)
    .replaceAll('the-key-that-it-printed', server.key ?? '');
  writeFileSync(join(folder.path, 'cells.py'), filledIn);
  const python = preparePython('notebook', PACKAGES);
  const { stdout } = await promisify(execFile)(python, ['cells.py'], { cwd: folder.path });
  const found = foundSchema.parse(JSON.parse(/^FOUND (.*)$/m.exec(stdout)?.[1] ?? ''));
  expect(found).toMatchObject({ rows: 500, more: 2000, columns: found.real, jobs: 0 });
  expect([found.grades.length > 2, found.figures]).toEqual([true, expect.arrayContaining(['KS (Avg)', 'DCR (Avg)'])]);
  expect(readFileSync(join(folder.path, 'report.html'), 'utf8')).toContain('appointments.csv');
}, 300_000);
