import { describe, expect, test } from 'vitest';
import { type ColumnProfile, type Relation, relationSchema } from '../../../packages/contract/columns.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { inferCellFormat } from '../../../packages/tables/format/cellFormat.ts';
import { profileUpload } from '../../../packages/tables/profile/profileUpload.ts';
import { findRelations } from '../../../packages/tables/relations/findRelations.ts';
import { column } from '../../support/profiles.ts';
import { describeShared, sharedDir } from '../../support/shared.ts';

type Cells = (string | null)[];
const random = createStream(5, 'relations');
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const numbers = (n = 200): Cells => times(n, () => String(random.integer(10_000) + 1));
const words = (...of: string[]): Cells => times(200, () => of[random.integer(of.length)]!);
const mapped = (cells: Cells, to: (cell: string) => string | null): Cells =>
  cells.map((cell) => (cell === null ? null : to(cell)));

function relationsOf(table: Record<string, Cells>, kinds: Record<string, ColumnProfile['kind']> = {}): Relation[] {
  const columns = Object.entries(table).map(([name, cells]) => {
    const format = inferCellFormat([...new Set(cells.filter((cell) => cell !== null))]) ?? null;
    return column(name, { kind: kinds[name] ?? 'categorical', format });
  });
  const cells = Object.values(table);
  return findRelations(columns, { rows: cells[0]?.length ?? 0, cells });
}

const sentences = (table: Record<string, Cells>): string[] => relationsOf(table).map(({ sentence }) => sentence);

describe('totals', () => {
  const [a, b, c, other] = [numbers(), numbers(), numbers(), numbers()];
  const sumOf = (...parts: Cells[]): Cells =>
    times(200, (i) =>
      parts.some((part) => part[i] === null) ? null : String(parts.reduce((s, p) => s + Number(p[i]), 0)),
    );

  test('are found behind their parts, before them, and of two columns anywhere', () => {
    const total = sumOf(a, b, c);
    const found = { kind: 'sum', column: 'total', of: 'a', parts: ['a', 'b', 'c'] };
    expect(relationsOf({ other, a, b, c, total })).toMatchObject([found]);
    expect(relationsOf({ total, a, b, c })).toMatchObject([found]);
    expect(relationsOf({ a, other, b, total: sumOf(a, b) })).toMatchObject([{ ...found, parts: ['a', 'b'] }]);
    expect(sentences({ a, b, c, total })).toEqual([
      'Column "total" equals "a" + "b" + "c", up to rounding, in all 200 rows examined.',
    ]);
  });

  test('are found within the rounding of their parts', () => {
    const [x, y] = [a, b].map((cells) => mapped(cells, (cell) => (Number(cell) / 7).toFixed(2)));
    const total = times(200, (i) => ((Number(a[i]) + Number(b[i])) / 7).toFixed(1));
    expect(relationsOf({ x: x!, y: y!, total })).toMatchObject([{ kind: 'sum', parts: ['x', 'y'] }]);
  });

  test('are missing where a part is', () => {
    const gaps = a.map((cell, i) => (i % 9 === 0 ? null : cell));
    expect(relationsOf({ gaps, b, total: sumOf(gaps, b) })).toMatchObject([{ kind: 'sum', parts: ['gaps', 'b'] }]);
    const filled = sumOf(gaps, b).map((cell) => cell ?? '5');
    expect(relationsOf({ gaps, b, filled }).filter(({ kind }) => kind === 'sum')).toEqual([]);
  });

  test('are none where 2 % of rows do not add up', () => {
    const total = sumOf(a, b).map((cell, i) => (i % 50 === 7 ? '1' : cell));
    expect(relationsOf({ a, b, total })).toEqual([]);
  });

  test('are found where a few rows do not add up, the largest among them: of all parts that have a say', () => {
    const n = 2000;
    const cents = (most: number): string[] => times(n, () => (random.integer(most) / 100).toFixed(2));
    const [fare, tip, tolls] = [cents(9000), cents(1500), times(n, (i) => (i % 20 === 0 ? '6.94' : '0.00'))];
    // A fee in few rows, and a column that is no part of it.
    const [fee, other] = [
      times(n, (i) => (i % 250 === 3 ? '4.50' : '0.00')),
      times(n, (i) => (i % 300 === 5 ? '2.00' : '0.00')),
    ];
    const off = (i: number): number => (i % 200 === 11 ? 1.25 : i === 40 ? 900 : 0);
    const total = times(n, (i) =>
      [fare, tip, tolls, fee].reduce((sum, part) => sum + Number(part[i]), off(i)).toFixed(2),
    );
    const [found, ...others] = relationsOf({ other, fare, tip, tolls, fee, total });
    expect(found).toMatchObject({
      kind: 'sum',
      column: 'total',
      parts: ['fare', 'tip', 'tolls', 'fee'],
      share: 1989 / n,
    });
    expect(found?.sentence).toContain('up to rounding, in 99.45 % of the 2,000 rows examined.');
    expect(others).toEqual([]);
  });
});

describe('columns that say the same', () => {
  const a = numbers();
  const kind = words('red', 'green', 'blue', 'grey');

  test.each<[string, Cells, string]>([
    ['a copy', [...a], 'is a copy of "a" in all 200 rows examined.'],
    ['a multiple', mapped(a, (x) => (2.54 * Number(x)).toFixed(1)), 'equals 2.54 × "a", up to rounding,'],
    ['a line', mapped(a, (x) => String(2024 - Number(x))), 'equals −"a" + 2024, up to rounding,'],
    ['the same numbers', mapped(a, (x) => `${x}.0`), 'equals "a", up to rounding,'],
    ['a logarithm', mapped(a, (x) => Math.log(Number(x)).toFixed(5)), 'equals ln("a"), up to rounding,'],
    ['a root', mapped(a, (x) => Math.sqrt(Number(x)).toFixed(3)), 'equals sqrt("a"), up to rounding,'],
    ['a square', mapped(a, (x) => String(Number(x) ** 2)), 'equals square("a"), up to rounding,'],
  ])('are found: %s', (_, b, predicate) => {
    expect(sentences({ a, b })).toEqual([expect.stringContaining(`Column "b" ${predicate}`)]);
  });

  test('are found where a logarithm has no value and the cell is missing', () => {
    const x = a.map((cell, i) => (i % 9 === 0 ? '0' : cell));
    const y = mapped(x, (cell) => (cell === '0' ? null : Math.log10(Number(cell)).toFixed(4)));
    expect(relationsOf({ x, y })).toMatchObject([{ kind: 'function', column: 'y', of: 'x', form: 'log10' }]);
  });

  test('are found in other words, one to one', () => {
    const number = mapped(kind, (level) => String(['red', 'green', 'blue', 'grey'].indexOf(level) + 1));
    expect(relationsOf({ kind, number })).toMatchObject([
      { kind: 'labels', column: 'number', of: 'kind', one_to_one: true },
    ]);
  });

  test('are found where one follows from the other and not the other way round', () => {
    const isGrey = mapped(kind, (level) => (level === 'grey' ? 'yes' : 'no'));
    expect(relationsOf({ isGrey, kind })).toMatchObject([
      { kind: 'labels', column: 'isGrey', of: 'kind', one_to_one: false },
    ]);
  });

  test('all point to the first of them', () => {
    expect(relationsOf({ a, b: a, c: a }).map(({ column: name, of }) => [name, of])).toEqual([
      ['b', 'a'],
      ['c', 'a'],
    ]);
  });
});

describe('columns that say the same in nearly all rows', () => {
  const n = 1000;
  const codes = times(n, () => `c${random.integer(12)}`);
  const nameOf = (code: string): string => `Town ${code.slice(1)}`;

  test('are found: a code and its name, apart in one row of a thousand', () => {
    const name = codes.map(nameOf).with(311, nameOf(codes[311] === 'c3' ? 'c4' : 'c3'));
    expect(relationsOf({ code: codes, name })).toMatchObject([
      { kind: 'labels', column: 'name', of: 'code', one_to_one: true, share: 0.999 },
    ]);
  });

  test('are found: a line, apart in the rows of the smallest and the largest number', () => {
    const x = times(n, (i) => String(i === 5 ? 90_000 : i === 6 ? -40_000 : random.integer(10_000)));
    const y = x.map((cell, i) => (i === 5 || i === 6 ? '777.7' : (1.8 * Number(cell) + 32).toFixed(1)));
    expect(relationsOf({ x, y })).toMatchObject([
      { kind: 'function', column: 'y', form: 'linear', slope: 1.8, intercept: 32, share: 0.998 },
    ]);
  });

  test('are left alone where nearly all rows are alike anyway', () => {
    const rare = codes.map((code, i) => (i % 150 === 0 ? `${code} rare` : 'none'));
    expect(relationsOf({ code: codes, rare })).toEqual([]);
  });
});

describe('columns that do not say the same', () => {
  const a = numbers();
  test.each<[string, Record<string, Cells>]>([
    ['numbers of their own', { a, b: numbers() }],
    ['2 % of rows apart', { a, b: a.map((cell, i) => (i % 50 === 9 ? `${i + 0.5}` : cell)) }],
    ['a line that shades off', { a, b: a.map((cell, i) => String(Number(cell) + (i === 50 ? 3 : i % 2))) }],
    ['a constant column', { a, b: times(200, () => '1') }],
    ['few rows', { a: times(10, String), b: times(10, String) }],
    ['a noisy line', { a, b: mapped(a, (x) => String(Number(x) + random.integer(100))) }],
    ['words drawn apart', { a: words('x', 'y', 'z'), b: words('p', 'q') }],
    ['a rare label that chance explains', { a: words('x', 'y', 'z'), b: times(200, (i) => (i === 7 ? 'q' : 'p')) }],
  ])('are left alone: %s', (_, table) => {
    expect(relationsOf(table)).toEqual([]);
  });

  test('are left alone where one of them tells rows apart', () => {
    const id = times(200, String);
    const b = mapped(id, (x) => String(2 * Number(x)));
    expect(relationsOf({ id, b }, { id: 'identifier' })).toEqual([]);
  });
});

describe('cells that are missing where another column says so', () => {
  const state = words('single', 'married', 'widowed');
  const gone = mapped(state, (level) => (level === 'married' ? String(random.integer(90)) : null));

  test('are found with what it says, or with what it does not', () => {
    expect(relationsOf({ state, gone })).toMatchObject([
      { kind: 'missing_when', column: 'gone', of: 'state', values: ['married'], except: true },
    ]);
    const other = mapped(state, (level) => (level === 'widowed' ? null : String(random.integer(90))));
    expect(sentences({ state, other })).toEqual([
      'Column "other" is missing exactly where "state" is "widowed" in all 200 rows examined.',
    ]);
  });

  test('are found where two columns are missing together', () => {
    const b = mapped(gone, () => String(random.integer(500)));
    const gaps = times(200, (i) => (i % 3 === 0 ? null : String(random.integer(90))));
    const c = mapped(gaps, () => String(random.integer(500)));
    expect(relationsOf({ gaps, c })).toMatchObject([{ kind: 'missing_together', column: 'c', of: 'gaps' }]);
    expect(relationsOf({ state, gone, b }).map(({ kind }) => kind)).toEqual(['missing_when', 'missing_together']);
  });

  test('are left alone where it happens by chance', () => {
    expect(relationsOf({ state, gaps: times(200, () => (random.uniform() < 0.3 ? null : 'x')) })).toEqual([]);
  });
});

test('relations go through JSON as they are', () => {
  const a = numbers();
  for (const relation of relationsOf({ a, b: a })) {
    expect(relationSchema.parse(JSON.parse(JSON.stringify(relation)))).toEqual(relation);
  }
});

test('of 200 columns are found within seconds of computing', () => {
  const table = Object.fromEntries(times(200, (i) => [`c${i}`, i % 2 ? numbers(3000) : words('a', 'b', 'c')]));
  const rows = Object.fromEntries(
    Object.entries(table).map(([name, cells]) => [name, times(3000, (i) => cells[i % cells.length]!)]),
  );
  const start = process.threadCpuUsage();
  relationsOf(rows);
  const { user, system } = process.threadCpuUsage(start);
  expect((user + system) / 1e6).toBeLessThan(5);
});

describeShared('real tables', () => {
  const profiled = async (file: string) => {
    const { createReadStream } = await import('node:fs');
    const { columns, sample } = await profileUpload(createReadStream(`${sharedDir}/data/${file}`), file);
    return findRelations(columns, sample).map(({ column: name, of }) => [name, of]);
  };

  test('say their relations: ltotemp is log totemp, education_num says education', async () => {
    expect(await profiled('k401k.csv')).toContainEqual(['ltotemp', 'totemp']);
    expect(await profiled('adult.csv')).toEqual(
      expect.arrayContaining([[expect.stringMatching(/education.num/), 'education']]),
    );
  });
});
