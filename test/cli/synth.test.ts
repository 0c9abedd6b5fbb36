import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { EXIT } from '../../cli/exitCodes.ts';
import { verifyReceipt } from '../../cli/verifyReceipt.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { root } from '../support/imports.ts';
import { type LiveServer, startServer } from '../support/liveServer.ts';
import { runHere } from '../support/runHere.ts';
import { housesCsv } from '../support/tables.ts';
import { makeFolder } from '../support/temporaryFolder.ts';

const folder = makeFolder();
/** Where the program keeps what it works on. */
const temporary = makeFolder();
const table = housesCsv(80);
const SHORT = ['-n', '25', '--draws', '100', '--tune', '100', '--text-epochs', '1', '-s', '7'];
/** All columns but the text. */
const NUMBERS = ['--auto', '-t', 'price', '--ignore', 'note', ...SHORT];
let server: LiveServer;

beforeAll(async () => {
  writeFileSync(join(folder.path, 'houses.csv'), table);
  server = await startServer();
});

afterAll(async () => {
  await server.stop();
  folder.remove();
  temporary.remove();
});

const PROGRAM = join(root, 'cli', 'main.ts');

function start(args: readonly string[]) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return spawn(process.execPath, [PROGRAM, ...args], {
    cwd: folder.path,
    env: { PATH, NODE_COMPILE_CACHE, TMPDIR: temporary.path },
    stdio: 'pipe',
  });
}

/** Runs the program to its end, as a process. */
async function run(args: readonly string[], input: string | Uint8Array = '') {
  const child = start(args);
  child.stdin.end(input);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, out, err };
}

/** Runs the program to its end, in this process. */
const synth = (args: readonly string[], input: string | Uint8Array = '', env: Record<string, string> = {}) =>
  runHere(PROGRAM, args, { cwd: folder.path, input, env: { TMPDIR: temporary.path, ...env } });

const written = (name: string) => readFileSync(join(folder.path, name), 'utf8');

describe('synth --estimate', () => {
  it('says what the job would take and what would take less, here and at a service, and makes nothing', async () => {
    const dear = ['houses.csv', '--auto', '-t', 'price', '-n', '300000', '--estimate', '-o', 'estimated.csv'];
    const { code, out } = await synth(dear);
    expect([code, existsSync(join(folder.path, 'estimated.csv'))]).toEqual([EXIT.done, false]);
    expect(out).toMatch(/^about .+ on this machine \(.+ to .+\), .+ of CPU, \d+ MB of memory$/m);
    expect(out).toMatch(/^ {2}start +[\d.]+ s {2}80 rows/m);
    expect(out).toMatch(/^cheaper: about .* with .*--rows 1000/m);
    const at = ['--erase', '--url', server.url, '--key', server.key ?? ''];
    const told = await synth([...dear, ...at]);
    expect(told.out).toMatch(/^about .+ on the machine of the service \(/m);
    const there = await synth([...dear, '--json', ...at]);
    expect(JSON.parse(there.out)).toMatchObject({ cost: null, cheaper: { fields: { n_samples: 1000 } } });
  });
});

describe('synth', () => {
  it('makes a table on this machine alone, shows its progress and metrics, and leaves nothing behind', async () => {
    const { code, out, err } = await run(['houses.csv', ...NUMBERS]);
    expect([code, ...err.split('\n').slice(0, 2)]).toEqual([
      EXIT.done,
      expect.stringMatching(/^about .* s on this machine \(.* to .*\), .* s of CPU$/),
      'Reading the table …',
    ]);
    expect(err).toMatch(/^Pipeline finished/m);
    expect(err.trimEnd().split('\n').length).toBeLessThanOrEqual(8);
    expect(out).toMatch(/^figure +value +95 % interval +rows +real data score/);
    expect(out).toMatch(/^25 rows of 4 columns, seed 7 → synthetic_data.csv$/m);
    expect(Papa.parse(written('synthetic_data.csv'), { skipEmptyLines: true }).data).toHaveLength(26);
    expect(readdirSync(temporary.path)).toEqual([]);
    expect(readdirSync(folder.path).sort()).toEqual(['houses.csv', 'synthetic_data.csv']);
  });

  it('gives the same bytes in a pipe, and from a service', async () => {
    const here = written('synthetic_data.csv');
    const piped = await run(['-', ...NUMBERS], table);
    expect([piped.code, piped.out]).toEqual([EXIT.done, here]);
    expect(piped.err).toContain('R² of the target');
    const key = { SYNTHETIC_TABLES_KEY: server.key ?? '' };
    const sent = ['houses.csv', ...NUMBERS, '--url', server.url, '--erase', '-q', '-o', 'sent.csv'];
    expect(await synth(sent, '', key)).toEqual({ code: EXIT.done, out: '', err: '' });
    expect(written('sent.csv')).toBe(here);
    expect(server.files().filter((path) => path.startsWith('jobs'))).toEqual([]);
  });

  it('makes so many entities with all their rows, here and as more of a job of a service', async () => {
    const visits = Array.from({ length: 240 }, (_, row) => `C${100 + (row >> 2)},${row % 4},${(row * 7) % 23}`);
    writeFileSync(join(folder.path, 'visits.csv'), `customer,visit,amount\n${visits.join('\n')}\n`);
    const options = ['--auto', '--no-target', '--entity', 'customer', '--order', 'visit', '--entities', '9', '-s', '7'];
    const customers = (name: string) =>
      new Set(
        written(name)
          .trimEnd()
          .split('\n')
          .slice(1)
          .map((row) => row.split(',')[0]),
      );
    const here = await synth(['visits.csv', ...options, '-o', 'here.csv']);
    expect([here.code, here.out]).toEqual([EXIT.done, expect.stringContaining('36 rows of 3 columns')]);
    expect(customers('here.csv').size).toBe(9);
    const at = ['--url', server.url, '--key', server.key ?? ''];
    const made = await synth(['visits.csv', ...options, ...at, '--json', '-o', 'there.csv']);
    expect(written('there.csv')).toBe(written('here.csv'));
    const { job_id } = z.object({ job_id: z.string() }).parse(JSON.parse(made.out));
    expect((await synth(['sample', job_id, ...at, '--entities', '5', '-s', '4', '-o', 'five.csv'])).code).toBe(
      EXIT.done,
    );
    expect(customers('five.csv').size).toBe(5);
  });

  it('draws more rows of a job of a service, as a Parquet file too', async () => {
    const key = { SYNTHETIC_TABLES_KEY: server.key ?? '' };
    const at = ['--url', server.url];
    const made = await synth(['houses.csv', '-t', 'price', ...SHORT, ...at, '--json', '-o', 'first.csv'], '', key);
    const { job_id } = z.object({ job_id: z.string() }).parse(JSON.parse(made.out));
    const drawn = await synth(['sample', job_id, ...at, '-n', '12', '-s', '4', '-o', 'more.parquet'], '', key);
    expect([drawn.code, drawn.out]).toEqual([EXIT.done, expect.stringContaining('12 rows of 1 column, seed 4')]);
    const bytes = new Uint8Array(readFileSync(join(folder.path, 'more.parquet')));
    expect(await parquetReadObjects({ file: bytes.buffer })).toHaveLength(12);
    const unknown = await synth(['sample', 'nobody', ...at], '', key);
    expect([unknown.code, unknown.err]).toEqual([EXIT.service, expect.stringContaining('invalid_job')]);
  });

  it('gives programs one JSON object', async () => {
    const args = ['houses.csv', '-t', 'price', '--continuous', 'area', ...SHORT, '--json', '-o', 'json.jsonl'];
    const { code, out, err } = await synth(args);
    const schema = z.object({
      output: z.literal('json.jsonl'),
      files: z.strictObject({ table: z.literal('json.jsonl') }),
      grade: z.enum(['unknown', 'good', 'mixed', 'poor']),
      verdicts: z.array(z.object({ area: z.string(), grade: z.string() })).min(1),
      figures: z.array(z.looseObject({ name: z.string(), value: z.number(), rows: z.number() })).min(1),
      request: z.looseObject({ target_col: z.literal('price'), continuous_cols: z.tuple([z.literal('area')]) }),
      metrics: z.looseObject({
        rows_generated: z.literal(25),
        columns: z.array(z.string()),
        verdicts: z.array(z.object({ area: z.string(), grade: z.string() })).min(1),
      }),
      progress: z.array(z.string()).min(2),
    });
    expect([code, err]).toEqual([EXIT.done, '']);
    expect(schema.parse(JSON.parse(out)).metrics.columns.sort()).toEqual(['area', 'price']);
    const lines = written('json.jsonl').trimEnd().split('\n');
    expect([lines.length, Object.keys(JSON.parse(lines[0] ?? ''))]).toEqual([25, ['price', 'area']]);
  });

  it('makes a table of few rows only where it is allowed to, warns, and fails on its verdict where it is to', async () => {
    writeFileSync(join(folder.path, 'few.csv'), 'price,city\n1,Oslo\n2,Rome\n3,Oslo\n4,Rome\n');
    const args = ['few.csv', '-t', 'price', ...SHORT, '-o', 'few-copy.csv'];
    const refused = await synth(args);
    expect([refused.code, existsSync(join(folder.path, 'few-copy.csv'))]).toEqual([EXIT.job, false]);
    expect(refused.err).toMatch(/too_few_rows: The table has 4 rows: .* --allow-few-rows; look at every row/);
    const allowed = await synth([...args, '--allow-few-rows', '--fail-on', 'poor']);
    expect([allowed.code, allowed.out]).toEqual([
      EXIT.verdict,
      expect.stringMatching(
        /Privacy: poor\. The real table has fewer than 50 rows[\s\S]* {2}next: Use a table of at least 50 rows\.[\s\S]*warning: Fewer than 50 real rows/,
      ),
    ]);
    expect(allowed.err).toMatch(/--fail-on poor holds it back\. .*Privacy: poor/);
    expect(existsSync(join(folder.path, 'few-copy.csv'))).toBe(true);
  });

  it('shows what each column is without making anything', async () => {
    const { code, out } = await synth(['houses.csv', '--inspect']);
    expect([code, out]).toEqual([EXIT.done, expect.stringMatching(/^price +continuous +\w+/m)]);
    expect(JSON.parse((await synth(['houses.csv', '--inspect', '--json'])).out)).toMatchObject({ n_rows: 80 });
  });

  it('reads a table in another encoding where --encoding says so, and names it where it does not', async () => {
    const french = Buffer.from('nom,prix\nHélène,12\n', 'latin1');
    const { code, err } = await synth(['-', '--inspect'], french);
    expect([code, err]).toEqual([
      EXIT.input,
      expect.stringMatching(/1252 .*Add --encoding windows-1252 to read it as/),
    ]);
    const { out } = await synth(['-', '--inspect', '--json', '--encoding', 'latin1'], french);
    expect(JSON.parse(out)).toMatchObject({ columns: ['nom', 'prix'], preview: [['Hélène', '12']] });
  });

  it.each<[code: number, args: string[], said: RegExp]>([
    [EXIT.usage, ['houses.csv', '--auto', '--rows', 'many'], /--rows/],
    [EXIT.usage, ['houses.csv', '-t', 'prize'], /no column "prize"\. Did you mean "price"\? The columns are .*"price"/],
    [EXIT.usage, ['houses.csv', '--auto', '-n', '0'], /invalid_parameter: --rows must be .* found 0/],
    [EXIT.input, ['nothing.csv', '--auto'], /"nothing.csv" cannot be read: there is no such file or folder\.\n/],
    [EXIT.input, ['huoses.csv', '--auto'], /there is no such file or folder\. Did you mean "houses.csv"\?/],
    [EXIT.input, ['servr', '--auto'], /Did you mean synth serve\?/],
    [EXIT.input, ['.', '--auto'], /it is a folder/],
    [EXIT.input, ['-', '--auto'], /empty_file/],
    [EXIT.usage, ['houses.csv', '--auto', '--encoding', 'klingon'], /--encoding takes one of utf-8, /],
    [EXIT.service, ['houses.csv', '--auto', '--url', 'http://127.0.0.1:9', '--key', 'k'], /does not answer/],
    [
      EXIT.output,
      ['nothing.csv', '--auto', '-o', 'no/such/folder.csv'],
      /cannot be written: there is no such file or folder/,
    ],
    [EXIT.output, ['nothing.csv', '--auto', '-o', '.'], /"." cannot be written: it is a folder/],
  ])('ends with %i after %j and says why', async (expected, args, said) => {
    const { code, out, err } = await synth(args);
    expect([code, out]).toEqual([expected, '']);
    expect(err).toMatch(said);
    expect(err).not.toMatch(/^\s+at /m);
  });

  it('ends with 5 where the key is wrong', async () => {
    const { code, err } = await run(['houses.csv', '--auto', '--url', server.url, '--key', 'wrong']);
    expect([code, err]).toEqual([EXIT.service, expect.stringMatching(/^synth: unauthorized: /)]);
  });

  it('stops at Ctrl-C: ends with 130, leaves no file, and stops the job at a service', async () => {
    const args = ['houses.csv', '-t', 'price', '-n', '500000', '-o', 'stopped.csv', '--url', server.url];
    const child = start([...args, '--key', server.key ?? '']);
    child.stderr.once('data', () => child.kill('SIGINT'));
    await once(child, 'close');
    expect([child.exitCode, existsSync(join(folder.path, 'stopped.csv'))]).toEqual([EXIT.interrupted, false]);
    const health = () => fetch(`${server.url}/health`, { headers: { 'X-API-Key': server.key ?? '' } });
    // The slot is free when the job's process is gone.
    const free = { data: { active_jobs: 0 } };
    await expect.poll(async () => (await health()).json(), { timeout: 10_000 }).toMatchObject(free);
  });

  it('stops at Ctrl-C on this machine: ends with 130 and leaves no file', async () => {
    const child = start(['houses.csv', '-t', 'price', '-n', '500000', '-o', 'stopped.csv']);
    child.stderr.once('data', () => child.kill('SIGINT'));
    const [err] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect([child.exitCode, existsSync(join(folder.path, 'stopped.csv'))]).toEqual([EXIT.interrupted, false]);
    expect(err).toMatch(/^synth: stopped$/m);
  });

  it('writes a report, and a receipt that holds, of a table made on this machine', async () => {
    const beside = ['--report', 'here.html', '--receipt', 'here.json', '-o', 'here.csv'];
    const made = await synth(['houses.csv', '--auto', '-t', 'price', ...SHORT, ...beside, '--debug']);
    expect([made.code, made.err]).toEqual([EXIT.done, expect.stringContaining('"event":"target_model"')]);
    expect(written('here.html')).toContain('houses.csv');
    const csv = written('here.csv');
    const file = { bytes: Buffer.byteLength(csv), sha256: createHash('sha256').update(csv).digest('hex') };
    const [, key = ''] = /signed with the key ([0-9a-f]{32});/.exec(made.out) ?? [];
    const [, salt = ''] = /^salt of the input in the receipt: ([0-9a-f]{64});/m.exec(made.out) ?? [];
    const salted = Buffer.concat([Buffer.from(salt, 'hex'), Buffer.from(table)]);
    const commitment = createHash('sha256').update(salted).digest('hex');
    const input = { bytes: 0, sha256: '', commitment };
    expect(verifyReceipt({ receipt: written('here.json'), file, key, input }).faults).toEqual([]);
    for (const name of ['here.html', 'here.json', 'here.csv']) rmSync(join(folder.path, name));
  });

  it('starts from the bin of its package, whatever Node runs it', async () => {
    const child = spawn('node', [join(root, 'cli', 'synth.mjs'), '--version'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    expect(await text(child.stdout)).toBe(`${packageJson.version}\n`);
  });
});

import Papa from 'papaparse';
