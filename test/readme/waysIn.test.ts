/** Each way in, by copying what docs/ways-in.md says: its own blocks are run, with the address and the key filled in. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { unzipSync } from 'fflate';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { copyDist } from '../support/builtDist.ts';
import { root } from '../support/imports.ts';
import { type LiveServer, startServer } from '../support/liveServer.ts';
import { makeFolder } from '../support/temporaryFolder.ts';

interface Block {
  section: string;
  language: string;
  /** What it is to be saved as; empty for commands. */
  file: string;
  text: string;
}

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const blocks: Block[] = [...textOf('docs/ways-in.md').matchAll(/^#+ (.*)$|^```(\w+) ?(\S*)\n([\s\S]*?)^```$/gm)].reduce(
  ({ section, found }, [, heading, language, file = '', text = '']) =>
    heading === undefined
      ? { section, found: [...found, { section, language: language ?? '', file, text }] }
      : { section: heading, found },
  { section: '', found: [] as Block[] },
).found;

const PRINTED = 'the-key-that-it-printed';
const ADDRESS = 'http://127.0.0.1:8080';
/** Rows of the example that the commands are run on: its first ones, for speed. */
const REAL_ROWS = 55;

const folder = makeFolder();
let server: LiveServer;

/** A folder like the checkout, where a reader's commands may leave what they like. */
beforeAll(async () => {
  server = await startServer();
  copyDist(join(folder.path, 'dist'));
  for (const name of ['node_modules', 'package.json', 'cli']) symlinkSync(join(root, name), join(folder.path, name));
  const table = join('examples', 'appointments.csv');
  const lines = readFileSync(join(root, table), 'utf8')
    .split('\n')
    .slice(0, REAL_ROWS + 1);
  mkdirSync(join(folder.path, 'examples'));
  writeFileSync(join(folder.path, table), `${lines.join('\n')}\n`);
}, 120_000);

afterAll(async () => {
  await server.stop();
  folder.remove();
});

beforeEach(() => rmSync(join(folder.path, 'synthetic_data.csv'), { force: true }));

const filledIn = (text: string): string => text.replaceAll(PRINTED, server.key ?? '').replaceAll(ADDRESS, server.url);

/** Saves and runs the blocks of a section in their order, as a reader does who has said where the service is. */
async function follow(section: string): Promise<string> {
  const said: string[] = [];
  const where = blocks.find(({ section, text }) => section === 'Ways in' && text.includes('export KEY='))?.text ?? '';
  for (const { language, file, text } of blocks.filter((block) => block.section === section)) {
    if (file !== '') writeFileSync(join(folder.path, file), filledIn(text));
    if (language !== 'bash') continue;
    const commands = ['--norc', '-euo', 'pipefail', '-c', filledIn(`${where}\n${text}`)];
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
    const options = { cwd: folder.path, env: { PATH, HOME, NODE_COMPILE_CACHE }, timeout: 120_000 };
    said.push((await promisify(execFile)('bash', commands, options)).stdout);
  }
  return said.join('');
}

const rowsOf = (file: string): number => readFileSync(join(folder.path, file), 'utf8').trimEnd().split('\n').length - 1;

describe('who copies from docs/ways-in.md', () => {
  it('gets a table by HTTP', async () => {
    expect(await follow('By HTTP')).toContain('"status":"started"');
    expect(rowsOf('synthetic_data.csv')).toBe(1000);
  }, 120_000);

  it('gets tables from the shell, without the service and with it', async () => {
    expect(await follow('From the shell')).toMatch(/minutes +continuous[\s\S]*1,000 rows of 10 columns, seed 7/);
    expect([rowsOf('synthetic_data.csv'), rowsOf('copy.csv')]).toEqual([1000, 3000]);
  }, 180_000);

  it('gets a table with the client', async () => {
    expect(await follow('With a client')).toContain("'KS (Avg)'");
    expect(rowsOf('synthetic_data.csv')).toBe(1000);
  }, 120_000);

  it('gets more rows of a job that is done', async () => {
    expect(await follow('More rows')).toContain('50 rows of 10 columns');
    expect(rowsOf('more.csv')).toBe(50);
    const file = new Uint8Array(readFileSync(join(folder.path, 'more.parquet'))).buffer;
    expect(await parquetReadObjects({ file })).toHaveLength(5000);
  }, 120_000);

  it('connects an assistant, and has a bundle for one on a desktop', async () => {
    await follow('With an assistant');
    const settings = z
      .object({
        mcpServers: z.object({
          'synthetic-tables': z.object({ url: z.url(), headers: z.record(z.string(), z.string()) }),
        }),
      })
      .parse(JSON.parse(readFileSync(join(folder.path, 'mcp.json'), 'utf8')));
    const { url, headers } = settings.mcpServers['synthetic-tables'];
    const client = new Client({ name: 'test', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
    // Its type says that a session id may be undefined, which the SDK's own interface does not.
    await client.connect(transport as Parameters<Client['connect']>[0]);
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await client.close();
    const bundle = unzipSync(readFileSync(join(folder.path, 'synthetic-tables.mcpb')));
    expect(Object.keys(bundle)).toEqual(['manifest.json', 'server/index.mjs', 'NOTICES.txt']);
  });
});

describe('README.md and the pages beside it', () => {
  it('have the ways in where these tests look for them', () => {
    const sections = new Set(blocks.map(({ section }) => section));
    for (const section of ['Ways in', 'By HTTP', 'From the shell', 'With a client', 'More rows', 'With an assistant']) {
      expect(sections).toContain(section);
    }
  });

  it.each(['README.md', 'docs/ways-in.md', 'docs/requests.md'])(
    '%s links to files and headings that there are',
    (page) => {
      for (const [, path = '', heading] of textOf(page).matchAll(/\]\(([\w./-]+)(?:#([\w-]+))?\)/g)) {
        const file = join(dirname(page), path);
        expect(existsSync(join(root, file)), path).toBe(true);
        if (heading) expect(headingsOf(file), `${path}#${heading}`).toContain(heading);
      }
      for (const [path] of textOf(page).matchAll(/\b(?:docs|examples)\/[\w./-]*\w/g))
        expect(existsSync(join(root, path)), path).toBe(true);
    },
  );

  it('tell a newcomer the first steps before all else, in 200 lines', () => {
    const readme = textOf('README.md');
    expect(readme.split('\n').length).toBeLessThan(200);
    expect(readme.indexOf('npm run demo')).toBeLessThan(readme.indexOf('docs/'));
  });
});

const headingsOf = (file: string): string[] =>
  [...textOf(file).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'));
