import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { TOOLS } from '../../mcp/tools.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { type LiveServer, startServer } from '../support/liveServer.ts';
import { housesCsv } from '../support/tables.ts';
import { makeFolder } from '../support/temporaryFolder.ts';

const manifestSchema = z.object({
  version: z.string(),
  server: z.object({
    entry_point: z.string(),
    mcp_config: z.object({ command: z.string(), args: z.array(z.string()), env: z.record(z.string(), z.string()) }),
  }),
  tools: z.array(z.object({ name: z.string() })),
  user_config: z.record(z.string(), z.object({ required: z.boolean(), sensitive: z.boolean().optional() })),
});

const folder = makeFolder();
let server: LiveServer;

/** The bundle as the running server gives it out, unpacked as an assistant unpacks it. */
beforeAll(async () => {
  server = await startServer();
  const answer = await fetch(`${server.url}/mcp/download`);
  expect(answer.headers.get('Content-Disposition')).toBe('attachment; filename="synthetic-tables.mcpb"');
  for (const [path, bytes] of Object.entries(unzipSync(await answer.bytes()))) {
    const at = join(folder.path, path);
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, bytes);
  }
});

afterAll(async () => {
  await server.stop();
  folder.remove();
});

const manifest = () => manifestSchema.parse(JSON.parse(strFromU8(readFileSync(join(folder.path, 'manifest.json')))));

describe('GET /mcp/download', () => {
  it('says in its manifest how it is started and what it asks its user', () => {
    const { version, tools, user_config } = manifest();
    expect(version).toBe(packageJson.version);
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(TOOLS.map(({ name }) => name)));
    expect(user_config).toMatchObject({ url: { required: true }, key: { required: true, sensitive: true } });
  });

  it('makes a synthetic table of a file, started as the manifest says', async () => {
    const { command, args, env } = manifest().server.mcp_config;
    const values: Record<string, string> = {
      __dirname: folder.path,
      'user_config.url': server.url,
      'user_config.key': server.key ?? '',
      'user_config.folder': folder.path,
    };
    const filledIn = (text: string) => text.replace(/\$\{([\w.]+)\}/g, (_, name: string) => values[name] ?? '');
    const environment = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filledIn(value)]));
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: command === 'node' ? process.execPath : command,
        args: args.map(filledIn),
        env: environment,
      }),
    );
    const call = async (name: string, given: Record<string, unknown>) =>
      z
        .object({ structuredContent: z.looseObject({}).optional() })
        .parse(await client.callTool({ name, arguments: given })).structuredContent ?? {};
    const path = join(folder.path, 'houses.csv');
    writeFileSync(path, housesCsv(60));
    const { job_id } = await call('tables_upload_file', { path });
    await call('tables_generate', { job_id, auto: true, target_col: 'price', n_samples: 20, draws: 100, tune: 100 });
    expect(await call('tables_status', { job_id, wait_seconds: 50 })).toMatchObject({ status: 'done' });
    const saved = join(folder.path, 'copy.csv');
    expect(await call('tables_save_file', { job_id, path: saved })).toMatchObject({ path: saved });
    expect(readFileSync(saved, 'utf8').trimEnd().split('\n')).toHaveLength(21);
    for (const elsewhere of ['/etc/hosts.csv', join(folder.path, '.hidden.csv'), join(folder.path, 'notes.txt')]) {
      expect(await call('tables_save_file', { job_id, path: elsewhere })).toEqual({});
      expect(await call('tables_upload_file', { path: elsewhere })).toEqual({});
    }
    symlinkSync(path, join(folder.path, 'link.csv'));
    expect(await call('tables_upload_file', { path: join(folder.path, 'link.csv') })).toEqual({});
    // A file that is there is kept.
    expect(await call('tables_save_file', { job_id, path })).toEqual({});
    expect(readFileSync(path, 'utf8')).toBe(housesCsv(60));
    await client.close();
  });

  it('says what is missing where it is started without its settings', () => {
    const entry = join(folder.path, manifest().server.entry_point);
    const { status, stderr } = spawnSync(process.execPath, [entry], { env: {}, encoding: 'utf8' });
    expect([status, stderr]).toEqual([2, expect.stringContaining('SYNTHETIC_TABLES_URL')]);
  });
});
