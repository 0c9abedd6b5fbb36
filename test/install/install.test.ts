/** The package, packed, installed into an empty folder, and used, on each version of Node that it serves. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseFile, chooseLittle, enterKey, finished, startButton } from '../e2e/page/drive.ts';
import { describeInBrowser, type InBrowser } from '../support/browser.ts';
import { makeFolder } from '../support/temporaryFolder.ts';
import { installInto, nodeOf, type Packed, type Project, packInto } from './installed.ts';
import { COMMAND, type Service, serve } from './service.ts';

const TABLE = ['penguins.csv', '--auto', '-t', 'body_mass_g', '-n', '200', '-s', '7', '-q'];

/** From unpacking to the first table, beyond the registry's time, on a quiet machine. Printed, not held: machines differ. */
const AIM_S = 20;

const JOB_MS = 240_000;

const folders: ReturnType<typeof makeFolder>[] = [];
const newFolder = (): string => {
  const folder = makeFolder();
  folders.push(folder);
  return folder.path;
};

let packed: Packed;
beforeAll(() => {
  packed = packInto(newFolder());
}, 300_000);
afterAll(() => {
  for (const folder of folders) folder.remove();
});

const LIBRARY = `
import { synthesize } from 'synthetic-tables';
import { createStream, normalCdf } from 'synthetic-tables/numerics';
import { SyntheticTables } from 'synthetic-tables/client';
console.log(JSON.stringify([typeof synthesize, normalCdf(0), typeof createStream, typeof SyntheticTables]));
`;

const CONSUMER = `
import { RefusedError, SyntheticTables, type UploadReply } from 'synthetic-tables/client';
import { normalCdf } from 'synthetic-tables/numerics';
import { synthesize, type SyntheticTable } from 'synthetic-tables';
const tables = new SyntheticTables({ url: 'https://x.example', key: 'k' });
const upload: UploadReply = await tables.upload(new Blob(['a']), 'a.csv');
await tables.generate({ job_id: upload.job_id, target_col: 'a' });
const half: number = normalCdf(0);
try { await tables.health(); } catch (error) { if (error instanceof RefusedError) throw half; }
export const made: SyntheticTable = await synthesize('penguins.csv', { target_col: 'body_mass_g' }, { seed: half });
`;

/** A table over HTTP, by a program of the project that uses the installed client. */
const CLIENT = `
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { roleFields, suggestedRoles, SyntheticTables } from 'synthetic-tables/client';
const [url, key] = process.argv.slice(2);
const tables = new SyntheticTables({ url, key });
const upload = await tables.upload(new Blob([await readFile('penguins.csv')]), 'penguins.csv');
await tables.generate({ job_id: upload.job_id, ...roleFields(suggestedRoles(upload, 'body_mass_g')), n_samples: 200, seed: 7 });
await tables.wait(upload.job_id);
process.stdout.write(await text((await tables.download(upload.job_id)).body));
`;

/** A page's script with the installed client in it. */
async function bundle(folder: string): Promise<string> {
  const { outputFiles, warnings } = await build({
    stdin: {
      contents: "import { SyntheticTables } from 'synthetic-tables/client'; globalThis.Client = SyntheticTables;",
      resolveDir: folder,
    },
    bundle: true,
    platform: 'browser',
    format: 'iife',
    minify: true,
    write: false,
    logLevel: 'silent',
  });
  expect(warnings).toEqual([]);
  return outputFiles[0]?.text ?? '';
}

/** A folder with the records of a later version, and what is in its file. */
function newerData(): { folder: string; bytes: Uint8Array } {
  const folder = newFolder();
  const file = join(folder, 'service.db');
  const newer = new DatabaseSync(file);
  newer.exec('CREATE TABLE later (x); PRAGMA user_version = 1000');
  newer.close();
  return { folder, bytes: readFileSync(file) };
}

describe.each([20, 22, 24])('the package on Node %i', (major) => {
  let project: Project;
  beforeAll(() => {
    project = installInto(newFolder(), packed.tarball, major, 'typescript@5.9.3', '@types/node@20');
    writeFileSync(join(project.folder, 'library.mjs'), LIBRARY);
    writeFileSync(join(project.folder, 'client.mjs'), CLIENT);
    writeFileSync(join(project.folder, 'consumer.ts'), CONSUMER);
  }, 600_000);

  it('is packed and installed without a warning', () => {
    expect([packed.warnings, project.warnings]).toEqual([[], []]);
  });

  it('makes a table from the shell soon after it is unpacked, without a word on standard error', () => {
    const began = performance.now();
    project.unpackAgain();
    const unpacked = performance.now();
    const { status, stderr } = project.run(COMMAND, ...TABLE, '-o', 'copy.csv');
    const [unpackS = 0, tableS = 0] = [unpacked - began, performance.now() - unpacked].map((ms) => ms / 1000);
    const share = Math.round(((unpackS + tableS) / AIM_S) * 100);
    const load = `${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} processors`;
    const times = `unpacked in ${unpackS.toFixed(1)} s, a table ${tableS.toFixed(1)} s later`;
    console.log(`Node ${major}: ${times}: ${share} % of ${AIM_S} s, at a load of ${load}`);
    expect([status, stderr]).toEqual([0, '']);
    expect(readFileSync(join(project.folder, 'copy.csv'), 'utf8').trimEnd().split('\n')).toHaveLength(201);
  });

  it.each(['synthetic-tables', 'synth'])('is the command %s', (name) => {
    const { status, stdout, stderr } = spawnSync('npx', [name, '--version'], {
      cwd: project.folder,
      env: project.environment,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(packed.tarball).toContain(`synthetic-tables-${stdout.trim()}.tgz`);
  });

  it('is imported by plain JavaScript', () => {
    const { status, stdout, stderr } = project.run('library.mjs');
    expect([status, stderr, JSON.parse(stdout)]).toEqual([0, '', ['function', 0.5, 'function', 'function']]);
  });

  it('has types that a strict project checks, libraries included', () => {
    const options = ['--module', 'nodenext', '--target', 'es2022', '--strict', '--noEmit', '--skipLibCheck', 'false'];
    const { status, stdout } = project.run(
      'node_modules/typescript/bin/tsc',
      ...options,
      '--types',
      'node',
      'consumer.ts',
    );
    expect([status, stdout]).toEqual([0, '']);
  });

  it('gives a page its client in a few kilobytes', async () => {
    expect((await bundle(project.folder)).length).toBeLessThan(40_000);
  });

  describe('as a service', () => useService(() => project));

  it.each([['serve'], ['keys', 'list']])(
    'refuses a data folder of a newer version and leaves it as it is: %s',
    (...command) => {
      const { folder, bytes } = newerData();
      const env = { ...project.environment, DATA_DIR: folder, PORT: '0' };
      const args = [join(project.folder, COMMAND), ...command];
      const { status, stderr } = spawnSync(project.node, args, { cwd: project.folder, env, encoding: 'utf8' });
      expect([status, stderr]).toEqual([1, expect.stringMatching(/newer version of the service/)]);
      expect([readdirSync(folder), readFileSync(join(folder, 'service.db')).equals(bytes)]).toEqual([
        ['service.db'],
        true,
      ]);
    },
  );

  it('says where it may not write, and writes into pipes there', () => {
    const isRoot = process.getuid?.() === 0;
    const as = isRoot ? { uid: 65_534, gid: 65_534 } : {};
    const asNobody = (...args: string[]) =>
      spawnSync(project.node, [join(project.folder, COMMAND), ...args], {
        cwd: project.folder,
        env: { PATH: project.environment.PATH, PORT: '0' },
        encoding: 'utf8',
        ...as,
      });
    chmodSync(project.folder, 0o555);
    try {
      const refused = asNobody(...TABLE, '-o', 'no.csv');
      expect([refused.status, existsSync(join(project.folder, 'no.csv'))]).toEqual([6, false]);
      expect(refused.stderr).toMatch(/^synth: .*no\.csv.*\n$/);
      const { status, stdout, stderr } = asNobody(...TABLE, '-o', '-');
      expect([status, stderr, stdout.trimEnd().split('\n').length]).toEqual([0, '', 201]);
      const service = asNobody('serve');
      expect([service.status, service.stderr]).toEqual([1, expect.stringMatching(/^The service cannot start\. .*\n$/)]);
    } finally {
      chmodSync(project.folder, 0o755);
    }
  });
});

/** Tests that speak to the running service: a program with the client, and a browser. */
function useService(projectOf: () => Project): void {
  let service: Service;
  beforeAll(async () => {
    service = await serve(projectOf());
  });
  afterAll(() => service.stop());

  it('makes the same table over HTTP', () => {
    const { status, stdout, stderr } = projectOf().run('client.mjs', service.url, service.key);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toBe(readFileSync(join(projectOf().folder, 'copy.csv'), 'utf8'));
  });

  describeInBrowser('its page', (browser: InBrowser) => {
    it('takes a table through the whole job', { timeout: JOB_MS }, async () => {
      const { page, said } = await browser.open({});
      await page.goto(service.url);
      await enterKey(page, service.key);
      await chooseFile(page, join(projectOf().folder, 'penguins.csv'));
      await chooseLittle(page, 50);
      await startButton(page).click();
      await finished(page, JOB_MS);
      expect(said).toEqual([]);
    });

    it('runs a bundle with the client in it', async () => {
      const { page, said } = await browser.open({});
      await page.goto(service.url);
      await page.evaluate(await bundle(projectOf().folder));
      const health = await page.evaluate(`new Client({ url: location.origin, key: '${service.key}' }).health()`);
      expect([health, said]).toEqual([expect.objectContaining({ status: expect.any(String) }), []]);
    });
  });

  it('has said nothing but its log', () => {
    expect(service.warnings()).toEqual([]);
  });
}

describe('the package on Node 18', () => {
  it.each([['--version'], ['serve'], ['keys', 'list']])(
    'says in one line which Node it needs: %s',
    (...command) => {
      const folder = join(newFolder(), 'unpacked');
      mkdirSync(folder);
      expect(spawnSync('tar', ['-xzf', packed.tarball, '-C', folder]).status).toBe(0);
      const launcher = join(folder, 'package', 'cli', 'synth.mjs');
      const { status, stderr } = spawnSync(nodeOf(18), [launcher, ...command], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([1, expect.stringMatching(/^synthetic-tables needs Node\.js 20\.11 .*18.*\n$/)]);
    },
    300_000,
  );
});
