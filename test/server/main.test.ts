import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Deployment, verdict } from '../support/contract.ts';
import { root } from '../support/imports.ts';
import { failToStart, type LiveServer, startServer } from '../support/liveServer.ts';
import { filePart, MULTIPART, multipart } from '../support/multipart.ts';
import { rawClient } from '../support/rawHttp.ts';
import { runHere } from '../support/runHere.ts';
import { runKeys } from '../support/runKeys.ts';
import { housesCsv } from '../support/tables.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

async function start(settings: Record<string, string> = {}, dataDir?: string): Promise<LiveServer> {
  const server = await startServer(settings, dataDir);
  onTestFinished(() => void server.stop('SIGKILL'));
  return server;
}

function clientOf(server: LiveServer, key: string): Deployment {
  const client = new Deployment();
  return Object.assign(client, { url: server.url, key, local: server });
}

describe('npm start', () => {
  it('shows a key, and an address with it, on the very first start alone; the key stays valid', async () => {
    const folder = temporaryFolder();
    const first = await start({}, folder);
    expect(first.key).toMatch(/\S{40,}/);
    expect(first.opens).toBe(`${first.url}/#key=${first.key}`);
    expect(await first.stop()).toBe(0);
    const second = await start({ HOST: '0.0.0.0' }, folder);
    expect([second.key, second.opens]).toEqual([undefined, second.url.replace('0.0.0.0', '127.0.0.1')]);
    expect((await clientOf(second, first.key ?? '').send('GET', '/health')).status).toBe(200);
  });

  it('logs one JSON object a line, with no key and no cell in any', async () => {
    const server = await start();
    const client = clientOf(server, server.key ?? '');
    await client.newJob('name,age\nJane Roe,41\nJohn Doe,42\n');
    await client.post('/generate', { job_id: 'Jane Roe', target_col: 'Jane Roe' });
    await server.stop();
    const lines = server.log().trim().split('\n');
    const events = lines.map((line) => (JSON.parse(line) as { event: string }).event);
    expect(events).toEqual(expect.arrayContaining(['started', 'request', 'job_uploaded', 'stopping', 'stopped']));
    expect(server.log()).not.toMatch(/Jane|John/);
    expect(server.log()).not.toContain(server.key);
  });

  it.each<[title: string, settings: Record<string, string>, said: RegExp]>([
    [
      'a bad setting',
      { PORT: 'eighty', MAX_RUNNING_JOBS: '0' },
      /PORT must be .*"eighty"[\s\S]*MAX_RUNNING_JOBS must be/,
    ],
    ['a data folder that cannot be made', { PORT: '0', DATA_DIR: '/dev/null/data' }, /data folder/i],
  ])('does not start with %s, and says why without a stack', async (_title, settings, said) => {
    const { code, said: text } = await failToStart(settings);
    expect(code).toBe(1);
    expect(text).toMatch(said);
    expect(text).not.toMatch(/^\s+at /m);
  });

  it.each([
    ['serve', ['--help'], 0, /^Usage: synthetic-tables serve/],
    ['serve', ['--port', '80'], 2, /^serve takes no arguments; found "--port"/],
    ['keys', ['create', '--help'], 0, /^Usage: synthetic-tables keys create/],
    ['backup', ['--help'], 0, /^Usage: synthetic-tables backup/],
    ['verify', ['--help'], 0, /^Usage: synthetic-tables verify/],
    ['text-base', ['--help'], 0, /^Usage: synthetic-tables text-base/],
    ['text-base', ['--halp'], 2, /no such option: --halp/],
  ])('has help, and takes no option for anything else: %s %j', async (program, args, status, said) => {
    const entry = { serve: 'server/main', keys: 'server/keys', backup: 'server/backup' }[program];
    const file = entry ?? { verify: 'cli/verify', 'text-base': 'cli/textBase' }[program];
    const folder = temporaryFolder();
    const { code, out, err } = await runHere(join(root, `${file}.ts`), args, { cwd: folder });
    expect([code, out + err, readdirSync(folder)]).toEqual([status, expect.stringMatching(said), []]);
  });

  it('does not start on a port that is taken', async () => {
    const server = await start();
    const { code, said } = await failToStart({ PORT: new URL(server.url).port, DATA_DIR: server.dataDir });
    expect([code, said]).toEqual([1, expect.stringContaining('EADDRINUSE')]);
  });

  it('leaves a running job to its next start when it stops, which runs it, and it can be cancelled there', async () => {
    const folder = temporaryFolder();
    const first = await start({ MAX_RUNNING_JOBS: '1' }, folder);
    const before = clientOf(first, first.key ?? '');
    const id = await before.newJob(housesCsv(400));
    const request = { job_id: id, target_col: 'price', text_cols: ['note'] };
    expect((await before.post('/generate', { ...request, n_samples: 500_000 })).status).toBe(200);
    // As Ctrl-C in a terminal does: once from there, once passed on.
    process.kill(first.pid, 'SIGINT');
    expect(await first.stop('SIGINT')).toBe(0);
    const second = await start({ MAX_RUNNING_JOBS: '1' }, folder);
    const after = clientOf(second, first.key ?? '');
    expect((await after.send('GET', '/health')).data).toMatchObject({ active_jobs: 1, total_jobs: 1 });
    expect((await after.send('POST', `/jobs/${id}/cancel`)).status).toBe(200);
    expect(await after.status(id)).toMatchObject({ status: 'failed', error: { code: 'cancelled' } });
    expect((await after.send('GET', '/health')).data).toMatchObject({ active_jobs: 0, total_jobs: 1 });
  });

  it('finishes a request that is under way when it is told to stop, and takes no new one', async () => {
    const server = await start();
    const body = multipart([filePart(housesCsv())]);
    const upload = rawClient(server.url);
    await upload.send(
      `POST /upload HTTP/1.1\r\nHost: x\r\nX-API-Key: ${server.key}\r\nContent-Type: ${MULTIPART}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`,
    );
    await upload.send(body.subarray(0, 100));
    await new Promise((resolve) => setTimeout(resolve, 200));
    const stopped = server.stop();
    await expect.poll(() => server.log()).toContain('"stopping"');
    await expect(fetch(`${server.url}/`)).rejects.toThrow();
    await upload.send(body.subarray(100));
    expect((await upload.reply()).status).toBe(200);
    expect(await stopped).toBe(0);
  });
});

describe('npm run keys', () => {
  it('makes, lists and revokes keys of a running service', async () => {
    const server = await start();
    const made = await runKeys(server.dataDir, 'create', 'Ada & co');
    const key = /^API key \(shown once\): (\S+)$/m.exec(made.output)?.[1] ?? '';
    const id = /^id: (\S+)$/m.exec(made.output)?.[1] ?? '';
    const client = clientOf(server, key);
    expect((await client.send('GET', '/health')).status).toBe(200);
    const listed = await runKeys(server.dataDir, 'list');
    expect(listed.output).toMatch(new RegExp(`^${id}\t\\S+\t-\tnone\tAda & co$`, 'm'));
    expect(listed.output).toMatch(/\trelease\tfirst$/m);
    const reviewer = await runKeys(server.dataDir, 'create', 'Bea', '--release');
    expect([made.output, reviewer.output].map((said) => /^rights: (.*)$/m.exec(said)?.[1])).toEqual([
      'none',
      'release',
    ]);
    expect(listed.output).not.toContain(key);
    expect((await runKeys(server.dataDir, 'revoke', id)).code).toBe(0);
    expect(verdict(await client.send('GET', '/health'))).toEqual([401, 'unauthorized']);
    expect((await runKeys(server.dataDir, 'revoke', id)).code).toBe(2);
    expect((await runKeys(server.dataDir, 'list')).output).toMatch(
      new RegExp(`^${id}\t\\S+\t20\\S+\tnone\tAda & co$`, 'm'),
    );
  });

  it.each([
    [[]],
    [['make', 'x']],
    [['create']],
    [['create', 'a', 'b']],
    [['list', '--release']],
    [['toString']],
    [['revoke']],
  ])('explains itself at %j', async (words) => {
    const { code, output } = await runKeys(temporaryFolder(), ...words);
    expect(code).toBe(2);
    expect(output).toMatch(/usage|name|id/);
  });
});
