/** A data folder that lost its database, and one that is restored from a backup. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStores } from '../../adapters/local/openStores.ts';
import { DONE, KEY, layOutFolder, textOf } from '../support/dataFolder02.ts';
import { root } from '../support/imports.ts';
import { failToStart, type LiveServer, startServer } from '../support/liveServer.ts';
import { makeFolder } from '../support/temporaryFolder.ts';

const folder = makeFolder();
const data = join(folder.path, 'data');
let server: LiveServer | undefined;

beforeAll(() => layOutFolder(data));
afterAll(async () => {
  await server?.stop();
  folder.remove();
});

/** The command of that name, to its end. */
async function run(target: string): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, [join(root, 'server', 'backup.ts'), target], {
    env: { PATH: process.env.PATH, DATA_DIR: data },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const said = await Promise.all([text(child.stdout), text(child.stderr)]);
  await exited;
  return { code: child.exitCode, said: said.join('') };
}

const download = async (url: string): Promise<string> =>
  (await fetch(`${url}/download/${DONE}`, { headers: { 'X-API-Key': KEY } })).text();

describe('a backup', () => {
  it('is made while the service runs, and a copy of it gives what the folder had', async () => {
    const running = openStores(data);
    const [backup, restored] = [join(folder.path, 'backup'), join(folder.path, 'restored')];
    const made = await run(backup);
    running.close();
    expect(made).toMatchObject({ code: 0, said: expect.stringContaining('Backed up') });
    expect(await run(backup)).toMatchObject({ code: 2, said: expect.stringContaining('is not empty') });
    cpSync(backup, restored, { recursive: true });
    server = await startServer({}, restored);
    expect(server.key).toBeUndefined();
    expect(await download(server.url)).toBe(textOf(`objects/jobs/${DONE}/attempt-1/synthetic_data.csv`));
  });
});

describe('a data folder that has lost its database', () => {
  it('is not started on as if it were new, unless the operator says so, and keeps its files', async () => {
    for (const name of ['service.db', 'service.db-wal', 'service.db-shm']) rmSync(join(data, name), { force: true });
    const { code, said } = await failToStart({ PORT: '0', DATA_DIR: data });
    expect(code).toBe(1);
    expect(said).toMatch(/no database \(service\.db\)[\s\S]*START_WITHOUT_RECORDS=yes/);
    const anew = await startServer({ START_WITHOUT_RECORDS: 'yes' }, data);
    expect(anew.files()).toContain(`objects/jobs/${DONE}/attempt-1/synthetic_data.csv`);
    await anew.stop();
  });
});
