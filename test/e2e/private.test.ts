import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SyntheticTables } from '../../packages/client/client.ts';
import { jobMetricsSchema } from '../../packages/contract/metrics.ts';
import { root } from '../support/imports.ts';
import { type LiveServer, startServer } from '../support/liveServer.ts';
import { runHere } from '../support/runHere.ts';
import { makeFolder } from '../support/temporaryFolder.ts';

const folder = makeFolder();
const rows = Array.from({ length: 240 }, (_, row) => `${20 + (row % 50)},${row % 3 === 0 ? 'a' : 'b'}`);
const domain = { age: { min: 18, max: 80 }, group: { levels: ['a', 'b'] } };
let server: LiveServer;

beforeAll(async () => {
  writeFileSync(join(folder.path, 'people.csv'), ['age,group', ...rows].join('\n'));
  writeFileSync(join(folder.path, 'domain.json'), JSON.stringify(domain));
  server = await startServer();
});

afterAll(async () => {
  await server.stop();
  folder.remove();
});

const PRIVATE = ['people.csv', '--epsilon', '4', '--delta', '1e-5', '--domain', 'domain.json', '-n', '30', '-q'];
const synth = (...args: string[]) =>
  runHere(join(root, 'cli', 'main.ts'), args, { cwd: folder.path, input: '', env: { TMPDIR: folder.path } });
const read = (name: string) => readFileSync(join(folder.path, name), 'utf8');
const receiptSchema = z.object({ manifest: z.object({ metrics: jobMetricsSchema }) });

/** What a receipt shows of the figures. */
function figuresIn(name: string) {
  const { fidelity, utility, privacy, holdout, measured_on, sample_sizes, notes, formal_privacy } = receiptSchema.parse(
    JSON.parse(read(name)),
  ).manifest.metrics;
  return { real: { fidelity, utility, privacy, holdout, measured_on, sample_sizes, notes }, formal_privacy };
}

const NONE = {
  fidelity: null,
  utility: null,
  privacy: null,
  holdout: null,
  measured_on: null,
  sample_sizes: {},
  notes: [],
};

describe('synth --epsilon', () => {
  it('says what the noise costs before the start', async () => {
    const { code, out } = await synth(...PRIVATE.slice(0, -1), '--estimate');
    expect([code, out]).toEqual([0, expect.stringMatching(/noise: mean total variation of about 0\.\d+ of columns/)]);
  });

  it('makes a table of the domain here, with a receipt that shows no figure of real rows', async () => {
    const { code, err } = await synth(...PRIVATE, '-o', 'here.csv', '--receipt', 'here.json');
    expect([code, err]).toEqual([0, '']);
    expect(read('here.csv').split('\n')[0]).toBe('age,group');
    const { real, formal_privacy } = figuresIn('here.json');
    expect(real).toEqual(NONE);
    expect(formal_privacy).toMatchObject({ epsilon: 4, delta: 1e-5 });
  });

  it('does the same by a service, where more rows come from the same measurements and cost nothing', async () => {
    const { url, key = '' } = server;
    const at = ['--url', url, '--key', key];
    const { code, err } = await synth(...PRIVATE, ...at, '-o', 'there.csv', '--receipt', 'there.json');
    expect([code, err]).toEqual([0, '']);
    const { real, formal_privacy } = figuresIn('there.json');
    expect(real).toEqual(NONE);
    const client = new SyntheticTables({ url, key });
    const [job] = (await client.jobs()).jobs;
    const sample = await client.sample(job!.job_id, { rows: 20, seed: 1 });
    const { metrics } = await client.wait(sample.job_id);
    expect(metrics?.formal_privacy).toMatchObject({
      spent: 0,
      measurements_sha256: formal_privacy?.measurements_sha256,
    });
    expect(metrics?.fidelity).not.toBeNull();
  });
});
