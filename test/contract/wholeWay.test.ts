import { parquetReadObjects } from 'hyparquet';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { read, utils } from 'xlsx';
import type { GenerateRequestBody } from '../../packages/contract/requests.ts';
import { useDeployment } from '../support/contract.ts';
import { housesCsv, ODD_NAMES, oddNamesCsv } from '../support/tables.ts';

const service = useDeployment();

const KEYS = [
  'KS (Avg)',
  'WD (Avg)',
  'Corr Diff (F-Norm)',
  'DCR (Avg)',
  'Duplicate Rate (%)',
  'TSTR R²',
  'TSTR RMSE',
  'family',
];

/** Without it, `fetch` asks for gzip. */
const PLAIN = { 'Accept-Encoding': 'identity' };

type Roles = Omit<GenerateRequestBody, 'job_id'>;

/** Upload, generate, wait, download. */
async function run(table: string, roles: Roles) {
  const id = await service.newJob(table);
  const started = await service.post('/generate', { job_id: id, ...roles });
  expect([started.status, started.error]).toEqual([200, null]);
  const status = await service.end(id);
  expect(status).toMatchObject({ status: 'done', error: null });
  const download = await service.send('GET', `/download/${id}`, { headers: PLAIN });
  return { id, status, download, rows: Papa.parse<string[]>(download.text, { skipEmptyLines: 'greedy' }).data };
}

/** The job of each set of roles, run once and read by the tests of what it gives. */
const jobs = new Map<Roles, ReturnType<typeof run>>();
function jobOf(roles: Roles): ReturnType<typeof run> {
  const job = jobs.get(roles) ?? run(housesCsv(80), roles);
  jobs.set(roles, job);
  return job;
}
const ofAllRoles = () => jobOf(ALL);

const SHORT = { n_samples: 50, draws: 100, tune: 100, text_epochs: 1, seed: 7 };
const ALL: Roles = {
  ...SHORT,
  target_col: 'price',
  continuous_cols: ['rooms', 'area'],
  categorical_cols: ['city'],
  text_cols: ['note'],
};
const TARGET: Roles = { ...SHORT, target_col: 'price' };
const CATEGORIES: Roles = { ...SHORT, target_col: 'price', categorical_cols: ['city'] };

describe('the whole way', () => {
  it.each<[title: string, roles: Roles, columns: string[]]>([
    ['all roles', ALL, ['price', 'area', 'rooms', 'city', 'note']],
    ['text alone', { ...SHORT, text_cols: ['note'] }, ['note']],
    ['target alone', TARGET, ['price']],
    ['target and categories', CATEGORIES, ['price', 'city']],
    ['categories alone', { ...SHORT, categorical_cols: ['city'], target: 'none' }, ['city']],
    ['the target that is suggested', { ...SHORT, categorical_cols: ['city'], target: 'auto' }, ['price', 'city']],
    [
      'text and continuous without a target',
      { ...SHORT, continuous_cols: ['area'], text_cols: ['note'] },
      ['area', 'note'],
    ],
  ])('makes a table of %s', async (_title, roles, columns) => {
    const { status, download, rows } = await jobOf(roles);
    expect(rows[0], 'the upload’s column order').toEqual(columns);
    expect(rows.slice(1).map((row) => row.length)).toEqual(Array.from({ length: 50 }, () => columns.length));
    expect(status.metrics).toMatchObject({ rows_generated: 50, columns, seed: 7 });
    expect(Object.keys(status.metrics?.numeric ?? {}).sort()).toEqual([...KEYS].sort());
    expect(status.progress.length).toBeGreaterThanOrEqual(2);
    expect(status.progress[0]).toMatch(roles.target_col || roles.target ? /target/i : /text/i);
    expect(status.progress.at(-1)).toMatch(/pipeline.*finished|finished.*pipeline/i);
    expect(Object.fromEntries(download.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="synthetic_data.csv"',
      'content-length': String(Buffer.byteLength(download.text)),
    });
  });

  it('says the length of a result without sending it', async () => {
    const { id, download } = await ofAllRoles();
    const head = await service.send('HEAD', `/download/${id}`, { headers: PLAIN });
    expect([head.status, head.headers.get('Content-Length'), head.text]).toEqual([
      200,
      download.headers.get('Content-Length'),
      '',
    ]);
  });

  it('gives the result without formulas to a spreadsheet program', async () => {
    const { id, rows } = await ofAllRoles();
    const reply = await service.send('GET', `/download/${id}?safe=spreadsheet`);
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename="synthetic_data.csv"');
    const found = Papa.parse<string[]>(reply.text, { skipEmptyLines: 'greedy' }).data;
    expect(found.map((cells) => cells.map((cell) => cell.replace(/^'(?=[=+@\t\r-])/, '')))).toEqual(rows);
    expect((await service.send('GET', `/download/${id}?safe=no`)).status).toBe(400);
  });

  it('gives the result as JSON Lines, cell for cell what the CSV file has', async () => {
    const { id, rows } = await ofAllRoles();
    const reply = await service.send('GET', `/download/${id}?format=jsonl`);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'application/jsonl; charset=utf-8',
      'content-disposition': 'attachment; filename="synthetic_data.jsonl"',
    });
    const [columns = [], ...cells] = rows;
    const objects = reply.text
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(objects).toEqual(cells.map((row) => Object.fromEntries(columns.map((name, j) => [name, row[j]]))));
    const refused = await service.send('GET', `/download/${id}?format=ods`);
    expect([refused.status, refused.error?.code]).toEqual([400, 'invalid_parameter']);
  });

  it('compresses the result for clients that take gzip, and tells caches so', async () => {
    const { id, download } = await ofAllRoles();
    for (const method of ['GET', 'HEAD']) {
      const packed = await service.send(method, `/download/${id}`, {
        headers: { 'Accept-Encoding': 'gzip, br;q=0.9' },
      });
      expect([packed.status, packed.headers.get('Content-Encoding')]).toEqual([200, 'gzip']);
      expect([packed.headers.get('Vary'), packed.headers.get('Content-Length')]).toEqual(['Accept-Encoding', null]);
      expect(packed.text).toBe(method === 'GET' ? download.text : '');
    }
    expect([download.headers.get('Content-Encoding'), download.headers.get('Vary')]).toEqual([null, 'Accept-Encoding']);
  });

  it('gives the result as Parquet and as a workbook, with the same cells', async () => {
    const { id, rows } = await ofAllRoles();
    const [columns = [], ...cells] = rows;
    const expected = cells.map((row) =>
      row.map((cell, j) => (columns[j] === 'city' || columns[j] === 'note' ? cell : cell === '' ? null : Number(cell))),
    );
    const parquet = await service.bytes(`/download/${id}?format=parquet`);
    expect([parquet.type, parquet.name]).toEqual([
      'application/vnd.apache.parquet',
      'attachment; filename="synthetic_data.parquet"',
    ]);
    const objects = await parquetReadObjects({ file: parquet.body });
    expect(
      objects.map((row) => columns.map((name) => (typeof row[name] === 'bigint' ? Number(row[name]) : row[name]))),
    ).toEqual(expected);
    const xlsx = await service.bytes(`/download/${id}?format=xlsx`);
    expect([xlsx.type, xlsx.name]).toEqual([
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'attachment; filename="synthetic_data.xlsx"',
    ]);
    const book = read(xlsx.body);
    const sheet = book.Sheets[book.SheetNames[0] ?? ''] ?? {};
    expect(utils.sheet_to_json(sheet, { header: 1, defval: null })).toEqual([columns, ...expected]);
  });

  it('makes the same bytes of the same file, roles and seed', async () => {
    const [first, again] = await Promise.all([ofAllRoles(), run(housesCsv(80), ALL)]);
    expect(again.download.text).toBe(first.download.text);
    expect(again.status.metrics?.numeric).toEqual(first.status.metrics?.numeric);
  });

  it('makes other bytes without a seed, and records the one that it made, which then gives the same', async () => {
    const { seed: _, ...unseeded } = CATEGORIES;
    const [seven, first] = await Promise.all([jobOf(CATEGORIES), run(housesCsv(80), unseeded)]);
    expect(first.download.text).not.toBe(seven.download.text);
    const again = await run(housesCsv(80), { ...unseeded, seed: first.status.metrics?.seed ?? -1 });
    expect(again.download.text).toBe(first.download.text);
  });

  it('carries odd column names through to the file', async () => {
    const categorical_cols = [...ODD_NAMES.filter((name) => name !== 'y' && name !== ''), 'column_8'];
    const { rows, status } = await run(oddNamesCsv(60), { ...SHORT, target_col: 'y', categorical_cols });
    expect(rows[0]).toEqual([...ODD_NAMES.slice(0, -1), 'column_8']);
    expect(status.metrics?.columns).toEqual(rows[0]);
  });

  it('uses the family that POST /detect_family names', async () => {
    const { status } = await jobOf(TARGET);
    const id = await service.newJob(housesCsv(80));
    const detected = await service.post('/detect_family', { job_id: id, target_col: 'price' });
    expect(detected.data).toMatchObject({ family: status.metrics?.numeric.family });
  });
});
