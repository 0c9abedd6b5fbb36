import { describe, expect, it } from 'vitest';
import { reportSchema } from '../../../packages/contract/report.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import type { ModelTable } from '../../../packages/synthesis/models/model.ts';
import { makeReport, type ReportTask, withoutSamples } from '../../../packages/synthesis/report/makeReport.ts';
import { renderReport } from '../../../packages/synthesis/report/page/renderReport.ts';
import { levels, numbers, reportTaskOf, tableOf, texts } from '../../support/reportTables.ts';

const ENTITY = { key: 'who', order: 'year' };
const ODD = 987_654_321;

/** Entity e has rows as `rowsOf` says; the last entity is unlike all others. */
function sequences(
  entities: number,
  seed: number,
  rowsOf: (entity: number) => number,
  { odd } = { odd: false },
): ModelTable {
  const random = createStream(seed, 'sequences');
  const rows: { who: string; year: number; walk: number; noise: number; flat: number; drift: number; slow: number }[] =
    [];
  for (let entity = 0; entity < entities; entity++) {
    const flat = random.uniform();
    let [walk, drift, slow] = [100 * random.normal(), 1900 + random.integer(90), random.integer(5)];
    for (let row = 0; row < rowsOf(entity); row++) {
      walk += 10 * random.normal();
      drift += random.integer(3);
      slow += random.uniform() < 0.1 ? 1 : 0;
      const own = odd && entity === entities - 1 ? ODD : walk;
      rows.push({ who: `E${entity}`, year: 2000 + row, walk: own, noise: random.normal(), flat, drift, slow });
    }
  }
  const of = (name: 'year' | 'walk' | 'noise' | 'flat' | 'drift' | 'slow') =>
    numbers(
      name,
      rows.map((row) => row[name]),
    );
  const key = texts(
    'who',
    rows.map(({ who }) => who),
  );
  const group = levels(
    'group',
    rows.map((_, row) => (row % 2 ? 'a' : 'b')),
  );
  return tableOf(key, of('year'), of('noise'), of('flat'), of('walk'), group, of('drift'), of('slow'));
}

/** 150 entities, of which 101 have a second row and 99 a third. */
const stepped = (entity: number): number => (entity < 99 ? 3 : entity < 101 ? 2 : 1);

const task = (real: ModelTable, synthetic: ModelTable) => {
  const columns = [...real.columns.keys()].map((name) => {
    const role: ReportTask['columns'][number]['role'] =
      name === 'who' ? 'identifier' : name === 'group' ? 'categorical' : 'continuous';
    return { name, role, format: null };
  });
  return reportTaskOf(real, synthetic, { columns, entity: ENTITY });
};
const page = (report: ReturnType<typeof makeReport>): Promise<string> => renderReport(report, async () => undefined);
const sectionOf = async (report: ReturnType<typeof makeReport>): Promise<string> =>
  (await page(report)).split('<section id="sequences">')[1]?.split('</section>')[0] ?? '';

describe('the sequences of a report', () => {
  const real = sequences(150, 1, () => 50, { odd: true });
  const whole = makeReport(
    task(
      real,
      sequences(20, 2, (entity) => 3 + entity * 4),
    ),
  );
  const of = (name: string) => whole.sequences!.find(({ column }) => column === name)!;

  it('fit the schema, and are of three numbers that change: those of which a row says most of the next, but the order', () => {
    const sent: unknown = JSON.parse(JSON.stringify(whole));
    expect(reportSchema.parse(sent)).toEqual(sent);
    expect(whole.sequences?.map(({ column }) => column)).toEqual(['walk', 'drift', 'slow']);
    const { sequences: _, ...older } = whole;
    expect(reportSchema.parse(older).sequences).toBeNull();
  });

  it('are the first 40 rows of the first twelve synthetic entities', () => {
    const { synthetic } = of('walk');
    expect(synthetic?.map((own) => own.length)).toEqual([3, 7, 11, 15, 19, 23, 27, 31, 35, 39, 40, 40]);
    const column = sequences(20, 2, (entity) => 3 + entity * 4).columns.get('walk');
    const values = column?.kind === 'numeric' ? column.values : [];
    expect(synthetic?.[1]).toEqual(Array.from(values.slice(3, 10), (value) => Number(value.toPrecision(6))));
  });

  it('are of numbers that are mostly there, and of entities that have a next row', () => {
    const table = sequences(150, 1, () => 5);
    const thinned = new Map(table.columns);
    const walk = table.columns.get('walk');
    const values =
      walk?.kind === 'numeric' ? walk.values.map((value, row) => (row % 5 === 4 ? Number.NaN : value)) : [];
    thinned.set('walk', numbers('walk', [...values]));
    const drift = table.columns.get('drift');
    const rare = drift?.kind === 'numeric' ? drift.values.map((value, row) => (row % 50 < 2 ? value : Number.NaN)) : [];
    thinned.set('drift', numbers('drift', [...rare]));
    const report = makeReport(
      task(
        { ...table, columns: thinned },
        sequences(30, 2, (entity) => 1 + (entity % 2)),
      ),
    );
    expect(report.sequences?.map(({ column }) => column)).toEqual(['noise', 'walk', 'slow']);
    expect(report.sequences?.[1]?.synthetic?.map(({ length }) => length)).toEqual(Array.from({ length: 12 }, () => 2));
  });

  it('are of real entities quantiles alone, row by row, to three digits of what they span', () => {
    const { real: bands } = of('drift');
    expect(bands).toHaveLength(40);
    const column = real.columns.get('drift');
    const values = column?.kind === 'numeric' ? column.values : new Float64Array(0);
    const row = 7;
    const sorted = Array.from({ length: 150 }, (_, entity) => values[entity * 50 + row]!).sort((a, b) => a - b);
    expect(bands[row]).toMatchObject({ q10: sorted[15], q50: sorted[75], q90: sorted[134] });
    for (const { q10, q25, q50, q75, q90 } of of('walk').real) {
      expect([q10, q25, q50, q75, q90].toSorted((a, b) => a - b)).toEqual([q10, q25, q50, q75, q90]);
      for (const value of [q10, q25, q50, q75, q90]) expect(Number.isInteger(value)).toBe(true);
    }
  });

  it('stop where fewer than 100 real entities have such a row, and have none of fewer', () => {
    const short = makeReport(
      task(
        sequences(150, 1, stepped),
        sequences(20, 2, () => 3),
      ),
    );
    expect(short.sequences?.map((own) => own.real.length)).toEqual([2, 2, 2]);
    const few = makeReport(
      task(
        sequences(99, 1, () => 5),
        sequences(20, 2, () => 5),
      ),
    );
    expect(few.sequences?.map((own) => own.real)).toEqual([[], [], []]);
  });

  it('show no real sequence, and none that is synthetic while the rows are withheld', async () => {
    expect(JSON.stringify(whole.sequences) + (await page(whole))).not.toMatch(/987.?654/);
    const withheld = withoutSamples(whole);
    expect(withheld.sequences?.map(({ real: bands, synthetic }) => [bands.length, synthetic])).toEqual([
      [40, null],
      [40, null],
      [40, null],
    ]);
    const said = await sectionOf(withheld);
    expect(said).toContain('withheld by the release policy');
    expect(said.match(/<svg /g)).toHaveLength(3);
  });

  it('are drawn side by side, on one scale, with words for those who do not see them', async () => {
    const said = await sectionOf(whole);
    const labels = [...said.matchAll(/<svg role="img" aria-label="([^"]*)"/g)].map(([, label]) => label);
    expect(labels).toEqual(['walk', 'drift', 'slow'].flatMap((name) => [`${name}, real`, `${name}, synthetic`]));
    expect(said).toContain('No real sequence is shown');
    expect(said).not.toContain('NaN');
  });

  it('are not there where each row stands alone, nor where no number changes', async () => {
    const alone = makeReport(reportTaskOf(real, real));
    expect(alone.sequences).toBeNull();
    expect(await sectionOf(alone)).toBe('');
    const none = makeReport({ ...task(real, real), columns: [{ name: 'flat', role: 'continuous', format: null }] });
    expect(none.sequences).toEqual([]);
    expect(await sectionOf(none)).toBe('');
  });

  it.each([
    ['no rows', sequences(150, 1, () => 4), sequences(0, 2, () => 0)],
    ['one entity of one row', sequences(150, 1, () => 4), sequences(1, 2, () => 1)],
    ['two real entities', sequences(2, 1, () => 4), sequences(3, 2, () => 4)],
  ])('are drawn of a table with %s', async (_, own, made) => {
    const said = await sectionOf(makeReport(task(own, made)));
    expect(said).not.toMatch(/NaN|undefined|Infinity/);
  });
});
