import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import type { RandomStream } from '../../../packages/numerics/random/stream.ts';
import type { MeasureRoles } from '../../../packages/synthesis/judge/columns.ts';
import { halves, makeParts } from '../../../packages/synthesis/judge/parts.ts';
import { chanceCopies, NEGLIGIBLE } from '../../../packages/synthesis/judge/privacy/chanceCopies.ts';
import { copies } from '../../../packages/synthesis/judge/privacy/copies.ts';
import { sharedRows } from '../../../packages/synthesis/judge/privacy/sharedRows.ts';
import type { ModelTable } from '../../../packages/synthesis/models/model.ts';
import { takeRows } from '../../../packages/synthesis/table/takeRows.ts';
import { levels, measureTask, numbers, tableOf } from './tables.ts';

const random = createStream(17, 'copies');
const ROLES: MeasureRoles = { target: null, continuous: ['cost', 'stay', 'age'], categorical: ['ward'], text: [] };
const COLUMNS = { numeric: ROLES.continuous, categorical: ROLES.categorical, text: [] };

/** Two columns to the cent, a whole number and a category: no two people agree in all. */
const fine = (rows: number, own: RandomStream): ModelTable =>
  tableOf(
    numbers('cost', ...Array.from({ length: rows }, () => Math.round(1e5 * Math.exp(own.normal())) / 100)),
    numbers('stay', ...Array.from({ length: rows }, () => Math.round(1e4 * own.uniform()) / 100)),
    numbers('age', ...Array.from({ length: rows }, () => 20 + own.integer(60))),
    levels('ward', ...Array.from({ length: rows }, () => `ward ${own.integer(5)}`)),
  );

/** People who come again and again with all but one cell the same: one row says nothing that another does not. */
function panel(rows: number, own: RandomStream): ModelTable {
  const people = Array.from(
    { length: Math.ceil(rows / 4) },
    () => [own.normal(), own.normal(), own.integer(5)] as const,
  );
  const drawn = Array.from({ length: rows }, () => [people[own.integer(people.length)]!, own.integer(6)] as const);
  return tableOf(
    numbers('cost', ...drawn.map(([[cost]]) => cost)),
    numbers('stay', ...drawn.map(([[, stay]]) => stay)),
    numbers('age', ...drawn.map(([, age]) => age)),
    levels('ward', ...drawn.map(([[, , ward]]) => `ward ${ward}`)),
  );
}

const rowsFrom = (first: number, count: number) => Int32Array.from({ length: count }, (_, at) => first + at);

function join(...tables: readonly ModelTable[]): ModelTable {
  const columns = ROLES.continuous.map((name) =>
    numbers(name, ...tables.flatMap((table) => [...(table.columns.get(name) as { values: Float64Array }).values])),
  );
  const wards = tables.flatMap((table) => {
    const column = table.columns.get('ward');
    if (column?.kind !== 'category') throw new TypeError('ward is a category');
    return [...column.codes].map((code) => column.levels[code] ?? null);
  });
  return tableOf(...columns, levels('ward', ...wards));
}

interface Tables {
  train: ModelTable;
  holdout: ModelTable | null;
  synthetic: ModelTable;
  real?: ModelTable;
  isSplit?: boolean;
}

async function found(tables: Tables, name: string) {
  const stream = random.child(name);
  const measured = makeParts({ ...tables, folds: undefined, roles: ROLES, random: stream });
  return copies(await measureTask(measured, stream));
}

describe('copies of real rows', () => {
  const [train, holdout, fresh] = ['train', 'holdout', 'fresh'].map((name) => fine(500, random.child(name))) as [
    ModelTable,
    ModelTable,
    ModelTable,
  ];

  it('are found if there is one, named by row, and worse however few they are', async () => {
    const synthetic = join(fresh, takeRows(train, Int32Array.from([41])));
    const one = await found({ train, holdout, synthetic }, 'one');
    expect(one.unique_copies).toMatchObject({ value: 1 / 501, verdict: 'worse' });
    expect([one.sure_copies, one.copied_rows.map(({ row, real_rows }) => [row, real_rows])]).toEqual([
      1,
      [[501, [42]]],
    ]);
  });

  it('are none of fresh rows', async () => {
    const none = await found({ train, holdout, synthetic: fresh }, 'none');
    expect([none.sure_copies, none.copied_rows, none.unique_copies.verdict]).toEqual([0, [], 'as good']);
  });

  it('are looked up in all real rows if these are split to be compared by', async () => {
    const real = join(train, holdout);
    const split = halves(real, random.child('halves'));
    const synthetic = join(fresh, takeRows(real, Int32Array.from([3, 400, 600, 777, 998])));
    const five = await found({ ...split, synthetic, real, isSplit: true }, 'split');
    expect(five.exact_copies.value).toBeCloseTo(5 / 505, 12);
    expect(five.copied_rows.flatMap(({ real_rows }) => real_rows).sort((a, b) => a - b)).toEqual([
      4, 401, 601, 778, 999,
    ]);
    expect(five.unique_copies.verdict).toBe('worse');
  });

  it('are no copies if five real rows or more share them', async () => {
    const common = takeRows(train, Int32Array.from([7, 7, 7, 7, 7]));
    const shared = join(train, common);
    const six = await found({ train: shared, holdout, synthetic: join(fresh, common) }, 'six');
    expect([six.exact_copies.value, six.copied_rows]).toEqual([0, []]);
  });

  it('are chance if people come again with nearly the same row', async () => {
    const all = panel(2400, random.child('panel'));
    const [own, held, made] = [0, 800, 1600].map((first) => takeRows(all, rowsFrom(first, 800))) as [
      ModelTable,
      ModelTable,
      ModelTable,
    ];
    const chance = await found({ train: own, holdout: held, synthetic: made }, 'panel');
    expect(chance.copied_rows.length).toBeGreaterThan(20);
    expect([chance.sure_copies, chance.unique_copies.verdict]).toEqual([0, 'as good']);
  });
});

describe('copies that are expected by chance', () => {
  it('are about as many as independent columns make', () => {
    // Ten levels each, all alike: one row in a thousand is that of a given person.
    const own = random.child('independent');
    const column = (name: string) => levels(name, ...Array.from({ length: 4000 }, () => `level ${own.integer(10)}`));
    const table = tableOf(column('a'), column('b'), column('c'));
    const expected = chanceCopies(table, { numeric: [], categorical: ['a', 'b', 'c'], text: [] })(0, 1000);
    expect(expected).toBeGreaterThan(0.5);
    expect(expected).toBeLessThan(2.5);
  });

  it('are not made fewer by a number that follows from another', () => {
    const own = random.child('determined');
    const x = Array.from({ length: 1000 }, () => own.normal());
    const one = chanceCopies(tableOf(numbers('x', ...x)), { numeric: ['x'], categorical: [], text: [] });
    const twice = tableOf(numbers('x', ...x), numbers('y', ...x.map((value) => Math.exp(value))));
    const both = chanceCopies(twice, { numeric: ['x', 'y'], categorical: [], text: [] });
    expect(both(5, 1000)).toBeCloseTo(one(5, 1000), 9);
    expect(one(5, 1000)).toBeGreaterThan(NEGLIGIBLE);
  });
});

describe('a holdout with rows of the real table', () => {
  const real = fine(400, random.child('real'));

  it('is seen row by row if no chance explains it', () => {
    const holdout = join(fine(50, random.child('held')), takeRows(real, rowsFrom(10, 7)));
    expect(sharedRows(real, holdout, COLUMNS)).toMatchObject({ sure: [50, 51, 52, 53, 54, 55, 56] });
  });

  it('is suspected if its rows equal real ones oftener than those equal each other', () => {
    const all = panel(800, random.child('again'));
    const [own, held] = [takeRows(all, rowsFrom(0, 400)), takeRows(all, rowsFrom(400, 400))];
    expect(sharedRows(own, held, COLUMNS)).toEqual({ sure: [], suspected: 0 });
    expect(sharedRows(own, own, COLUMNS).suspected).toBe(400);
  });

  it('is none of fresh rows', () => {
    expect(sharedRows(real, fine(300, random.child('fresh ones')), COLUMNS)).toEqual({ sure: [], suspected: 0 });
  });
});
