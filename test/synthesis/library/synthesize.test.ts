import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Judgement } from '../../../packages/contract/verdicts.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import {
  inspect,
  type JobEvent,
  type Row,
  restoreModel,
  type SyntheticTable,
  synthesize,
  type TableRequestBody,
  writeSource,
} from '../../../packages/synthesis/index.ts';
import { profileUpload } from '../../../packages/tables/profile/profileUpload.ts';
import { bytesOf } from '../../support/bytes.ts';
import { computedMs } from '../../support/computedMs.ts';
import { worldOf } from '../world.ts';

const random = createStream(4, 'library');
const ROWS: Row[] = Array.from({ length: 80 }, (_, i) => {
  const town = ['Ash', 'Elm', 'Oak'][i % 3]!;
  return {
    town,
    size: 40 + random.integer(60),
    price: i % 9 === 0 ? null : Number((50 * random.uniform()).toFixed(2)),
  };
});
const REQUEST: TableRequestBody = {
  target_col: 'price',
  continuous_cols: ['size'],
  categorical_cols: ['town'],
  family: 'gaussian',
  draws: 100,
  tune: 100,
  n_samples: 60,
};
const SEED = 9;
const folder = mkdtempSync(join(tmpdir(), 'library-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('synthesize', () => {
  const events: JobEvent[] = [];
  let made: SyntheticTable;
  let csv: string;
  beforeAll(async () => {
    made = await synthesize(ROWS, REQUEST, { seed: SEED, onEvent: (event) => events.push(event) });
    csv = await made.csvText();
  });

  it('gives the bytes and the metrics of a job over the same file', async () => {
    const text = writeSource(ROWS);
    const { job_id: _, callback_url: __, ...asked } = { job_id: '', callback_url: null, ...REQUEST };
    const world = await worldOf(text, { ...asked, seed: SEED }, await profileUpload(bytesOf(text), 'table.csv'));
    await world.run();
    expect(csv).toBe(world.file());
    expect(made.metrics).toEqual(world.job().metrics);
  });

  it('gives rows one by one and all at once, numbers as numbers and missing cells as null', async () => {
    const all = made.rows.all();
    const one: unknown[] = [];
    for await (const row of made.rows) one.push(row);
    expect(one).toEqual(all);
    expect(all).toHaveLength(60);
    expect(csv.trim().split('\n')).toHaveLength(61);
    expect(made.columns).toEqual(['town', 'size', 'price']);
    for (const { town, size } of all) expect([typeof town, typeof size]).toEqual(['string', 'number']);
    expect(new Set(all.map(({ price }) => (price === null ? 'missing' : typeof price)))).toEqual(
      new Set(['number', 'missing']),
    );
  });

  it('says what it does, with its verdicts and a report', async () => {
    expect(events[0]).toMatchObject({ fact: 'target_model', column: 'price' });
    const last = events.at(-1);
    expect(last).toMatchObject({ fact: 'finished', rows: 60, columns: 3 });
    expect(last?.fact === 'finished' && last.cpu_seconds).toBeGreaterThan(0);
    expect(made.verdicts.length).toBeGreaterThan(2);
    const report = await made.report();
    expect(report?.html).toContain('</html>');
    expect(report?.data.rows).toEqual({ real: 80, synthetic: 60 });
  });

  it('names its table in the report by its hash, and no job and no receipt, which there are not', async () => {
    const csv = await made.csvText();
    const sha256 = createHash('sha256').update(csv).digest('hex');
    const report = await made.report();
    expect(report?.data.identity).toMatchObject({
      input_commitment: null,
      output_sha256: sha256,
      output_bytes: csv.length,
    });
    expect(report?.html).toMatch(new RegExp(`SHA-256 of the synthetic table as CSV</th><td><code>${sha256}`));
    expect(report?.html).toContain('library or command line, without a service: there is no receipt');
    expect(report?.html).not.toMatch(/job <|Job <|job library|signs the receipt/);
  });

  it('draws more rows from its model, the same from one that was saved', async () => {
    const more = await made.model.sample(25, { seed: 3 });
    expect(more.rows.all()).toHaveLength(25);
    // No row was held out: half of the real rows show what real rows get.
    const { one_way, two_way, ks } = more.metrics.fidelity ?? {};
    for (const figure of [one_way, two_way, ks]) {
      expect([figure?.low, figure?.high, figure?.holdout, figure?.verdict]).not.toContain(null);
    }
    const gradesOf = (verdicts: readonly Judgement[]) => verdicts.map(({ area, grade }) => [area, grade]);
    expect(more.verdicts.some(({ inherited }) => inherited)).toBe(true);
    expect(gradesOf(more.verdicts).filter(([, grade]) => grade === 'unknown')).toEqual(
      gradesOf(made.verdicts).filter(([, grade]) => grade === 'unknown'),
    );
    const restored = await restoreModel(made.model.save(), ROWS);
    const again = await restored.sample(25, { seed: 3 });
    expect(await again.csvText()).toBe(await more.csvText());
    await expect(made.model.sample(0)).rejects.toMatchObject({ code: 'invalid_parameter' });
    await expect(restoreModel('{}', ROWS)).rejects.toMatchObject({ code: 'invalid_parameter' });
    await expect(restoreModel('no', ROWS)).rejects.toMatchObject({ code: 'invalid_parameter' });
  });

  it('takes columns, a stream of CSV and a path alike', async () => {
    const text = writeSource(ROWS);
    const columns = Object.fromEntries(['town', 'size', 'price'].map((name) => [name, ROWS.map((row) => row[name])]));
    const path = join(folder, 'table.csv');
    writeFileSync(path, text);
    expect(writeSource(columns)).toBe(text);
    const stream = new Blob([text]).stream();
    for (const table of [path, stream]) {
      const other = await synthesize(table, REQUEST, { seed: SEED });
      expect(await other.csvText()).toBe(csv);
    }
  });
});

describe('a table of which nothing is said', () => {
  const rows = Array.from({ length: 120 }, (_, i) => ({
    card: `K-${10_000 + ((i * 7919) % 80_000)}`,
    town: ['Ash', 'Elm', 'Oak'][i % 3],
    sold: i % 2 ? 'yes' : 'no',
    note: '',
  }));

  it('is made of all its columns: without a target where none is suggested, with new keys, empty ones left out', async () => {
    const { request } = await inspect(rows);
    expect(request).toEqual({
      target_col: null,
      target: 'none',
      continuous_cols: [],
      categorical_cols: ['card', 'town', 'sold'],
      text_cols: [],
    });
    for (const asked of [undefined, request, { categorical_cols: ['card', 'town', 'sold'] }]) {
      const made = await synthesize(rows, { ...asked, n_samples: 60 }, { seed: SEED });
      expect(made.columns).toEqual(['card', 'town', 'sold']);
      const cards = made.rows.all().map(({ card }) => String(card));
      expect(new Set(cards).size).toBe(60);
      expect(cards.filter((card) => !/^K-\d{5}$/.test(card) || rows.some((row) => row.card === card))).toEqual([]);
    }
  });

  it('takes the suggested target where there is one', async () => {
    const table = rows.map(({ town }, i) => ({ town, size: (i * 37) % 101, price: 3 * ((i * 37) % 101) + (i % 7) }));
    const few = { n_samples: 20, draws: 100, tune: 100 };
    expect((await synthesize(table, few, { seed: SEED })).request.target_col).toBe('price');
    expect((await synthesize(table, { ...few, target: 'none' }, { seed: SEED })).request.target_col).toBeNull();
  });
});

describe('inspect', () => {
  it('suggests a role for each column, as a request', async () => {
    const { rows, columns, request, warnings, preview, suggested_target } = await inspect(ROWS);
    expect(preview[1]).toEqual(Object.values(ROWS[1] ?? {}).map(String));
    expect(suggested_target?.column).toBe(request.target_col);
    expect([rows, columns.map(({ name }) => name), warnings]).toEqual([
      80,
      ['town', 'size', 'price'],
      expect.any(Array),
    ]);
    expect(request.categorical_cols).toContain('town');
    const french = new Blob([Buffer.from('nom,prix\nHélène,12\n', 'latin1')]);
    await expect(inspect(french)).rejects.toThrow("Give the option encoding: 'windows-1252' to read it as that");
    expect((await inspect(french, { encoding: 'latin1' })).preview).toEqual([['Hélène', '12']]);
    await expect(inspect(french, { encoding: 'klingon' })).rejects.toMatchObject({ code: 'invalid_parameter' });
    const days = Array.from({ length: 40 }, (_, i) => ({ day: new Date(Date.UTC(2026, 0, i + 1)) }));
    expect((await inspect(days)).columns[0]?.kind).toBe('datetime');
  });
});

describe('bad input', () => {
  it.each<[string, Parameters<typeof synthesize>, object]>([
    ['no rows', [[], REQUEST], { code: 'no_data_rows' }],
    ['columns without rows', [{ price: [] }, REQUEST], { code: 'no_data_rows' }],
    ['a header alone', [bytesOf('town,size,price\n'), REQUEST], { code: 'no_data_rows' }],
    ['nothing', [bytesOf(''), REQUEST], { code: 'empty_file' }],
    ['uneven columns', [{ price: [1, 2], size: [1] }, REQUEST], { code: 'invalid_parameter' }],
    ['a column in two roles', [ROWS, { ...REQUEST, categorical_cols: ['size'] }], { code: 'invalid_parameter' }],
    ['a column that is not there', [ROWS, { ...REQUEST, text_cols: ['note'] }], { code: 'column_not_found' }],
    [
      'few rows',
      [ROWS.slice(0, 49), REQUEST],
      { code: 'too_few_rows', message: expect.stringContaining('allow_few_rows: true; metrics.release') },
    ],
    ['a seed that is none', [ROWS, REQUEST, { seed: 0.5 }], { code: 'invalid_parameter' }],
    ['too many draws', [ROWS, { ...REQUEST, draws: 1e9 }], { code: 'invalid_parameter' }],
    ['a file that is not there', [join(folder, 'none.csv'), REQUEST], { code: 'ENOENT' }],
  ])('refuses %s', async (_, args, error) => {
    await expect(synthesize(...args)).rejects.toMatchObject(error);
  });

  it('says what was found and what to do, in the words of the library', async () => {
    const wrong = { ...REQUEST, target_col: 'prize' };
    const error = await synthesize(ROWS, wrong).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      name: 'ServiceError',
      code: 'column_not_found',
      field: 'target_col',
      params: { reason: 'column_unknown', column: 'prize', more: 0 },
      message: expect.stringMatching(/^target_col: there is no column "prize".*price/),
    });
    const { estimate } = await inspect(ROWS);
    expect(() => estimate(wrong)).toThrow(/^target_col: there is no column "prize"/);
    expect(() => writeSource([])).toThrow('The table is empty. Give a table with at least one column and one row.');
    const constant = { a: [1, 2, 3], b: ['', '', ''] };
    await expect(synthesize(constant, { target_col: 'b' })).rejects.toThrow(/empty.*Leave it out\.$/);
    await expect(restoreModel('no', ROWS)).rejects.toThrow(/^saved must be the text that save\(\) returned/);
  });

  it('names one of two columns of the same name anew, with a warning', async () => {
    const { columns, warnings } = await inspect(bytesOf('x,x\n1,2\n3,4\n'));
    expect(new Set(columns.map(({ name }) => name)).size).toBe(2);
    expect(warnings.join()).toContain('x');
  });
});

describe('an aborted signal', () => {
  const threads = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
  const many: Row[] = Array.from({ length: 600 }, (_, i) => ({ x: random.normal() + i / 600, y: random.normal() }));
  const slow: TableRequestBody = {
    target_col: 'y',
    continuous_cols: ['x'],
    family: 'student_t',
    draws: 10_000,
    tune: 10_000,
  };

  it('begins nothing where it was aborted before', async () => {
    const events: JobEvent[] = [];
    const signal = AbortSignal.abort(new Error('not now'));
    await expect(synthesize(ROWS, REQUEST, { signal, onEvent: (event) => events.push(event) })).rejects.toThrow(
      'not now',
    );
    expect(events).toEqual([]);
  });

  it.each([
    ['while chains run in threads', 'chains_sampled', many, slow, { after: 50, least: 1 }],
    // What is left of measuring takes some 50 ms.
    ['while rows are measured', 'numbers_compared', ROWS, REQUEST, { after: 0, least: 0 }],
  ] as const)(
    'ends the work within 100 ms of computing %s, and leaves nothing behind',
    async (_, fact, table, request, { after, least }) => {
      const [before, files] = [threads(), readdirSync(folder)];
      const stopping = new AbortController();
      let [aborted, during] = [Number.NaN, 0];
      const facts: string[] = [];
      const onEvent = (event: JobEvent): void => {
        facts.push(event.fact);
        if (event.fact !== fact || !Number.isNaN(aborted)) return;
        setTimeout(() => {
          during = threads();
          aborted = computedMs();
          stopping.abort();
        }, after);
      };
      await expect(synthesize(table, request, { seed: 1, onEvent, signal: stopping.signal })).rejects.toMatchObject({
        name: 'AbortError',
      });
      expect(computedMs() - aborted).toBeLessThan(100);
      expect(during - before).toBeGreaterThanOrEqual(least);
      await expect.poll(threads, { timeout: 5000 }).toBeLessThanOrEqual(before);
      const said = facts.length;
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(facts.length).toBe(said);
      expect(facts).not.toContain('finished');
      expect(readdirSync(folder)).toEqual(files);
    },
  );
});
