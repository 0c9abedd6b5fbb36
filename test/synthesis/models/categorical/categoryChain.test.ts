import { describe, expect, test } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { categoryChain } from '../../../../packages/synthesis/models/categorical/categoryChain.ts';
import {
  chainOrder,
  countPairs,
  informationGain,
  levelCounts,
} from '../../../../packages/synthesis/models/categorical/columnOrder.ts';
import type { ModelTable } from '../../../../packages/synthesis/models/model.ts';
import { expectNear, withinStandardErrors } from '../../../support/tolerance.ts';
import { category, cellsOf, fitTask, silent, tableOf } from '../tables.ts';

const random = createStream(7, 'chain');
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const n = 3000;

async function sampled(table: ModelTable, columns = [...table.columns.keys()], given: string[] = []) {
  const fitted = await categoryChain.fit(fitTask(table, columns, given));
  return fitted.sample({ rows: table.rows, made: table, random: createStream(8, 's'), onProgress: silent });
}

describe('counts of pairs', () => {
  test('are the same by both ways of counting, and add up to the rows', () => {
    const parent = Int32Array.from({ length: 500 }, () => random.integer(6));
    const child = Int32Array.from(parent, (level) => (level + random.integer(3)) % 8);
    const dense = countPairs(parent, 6, child, 8);
    // As many kinds as make the table too large to be counted cell by cell.
    const sorted = countPairs(parent, 6000, child, 8000);
    expect(dense.counts).toEqual(sorted.counts);
    expect(dense.levels).toEqual(sorted.levels);
    expect(dense.from).toEqual(sorted.from.slice(0, 7));
    expect(dense.counts.reduce((sum, count) => sum + count, 0)).toBe(500);
  });
});

describe('information', () => {
  const gain = (parent: Int32Array, parentKinds: number, child: Int32Array, childKinds: number): number =>
    informationGain(countPairs(parent, parentKinds, child, childKinds), levelCounts(child, childKinds), child.length);
  const child = Int32Array.from({ length: n }, () => random.integer(4));

  test('of a copy is close to the entropy', () => {
    expect(gain(child, 4, child, 4)).toBeCloseTo(Math.log(4), 2);
  });

  test('of an unrelated column, and of an identifier, is none', () => {
    expect(
      gain(
        child.map(() => random.integer(5)),
        5,
        child,
        4,
      ),
    ).toBeLessThan(0.001);
    expect(
      gain(
        child.map((_, row) => row),
        n,
        child,
        4,
      ),
    ).toBeLessThan(0.001);
  });
});

describe('the order of a chain', () => {
  test('starts with the column that tells most, and gives each column its best earlier one', () => {
    const gains = [
      [0, 0.1, 0.3],
      [0.2, 0, 0.9],
      [0.1, 0.8, 0],
    ];
    expect(chainOrder(gains, 0)).toEqual([
      { column: 1, parent: null },
      { column: 2, parent: 1 },
      { column: 0, parent: 1 },
    ]);
  });

  test('starts from given columns where there are some, and has no parent where nothing tells', () => {
    const gains = [
      [0, 0.5, -1],
      [0.5, 0, -1],
      [-1, -1, 0],
    ];
    expect(chainOrder(gains, 1)).toEqual([
      { column: 1, parent: 0 },
      { column: 2, parent: null },
    ]);
  });
});

describe('an empirical chain', () => {
  test('keeps levels, their shares, and which go together', async () => {
    const a = times(n, () => ['x', 'y', 'z'][Math.min(2, random.integer(4))]!);
    const b = a.map((level) => (random.uniform() < 0.9 ? `of ${level}` : 'other'));
    const made = await sampled(tableOf(category('a', a), category('b', b)));
    const [madeA, madeB] = [cellsOf(made, 'a'), cellsOf(made, 'b')];
    const share = (cells: (string | null)[], level: string) => cells.filter((cell) => cell === level).length / n;
    const error = Math.sqrt(0.25 / n);
    for (const level of ['x', 'y', 'z'])
      expectNear(share(madeA, level), share(a, level), withinStandardErrors(5, error));
    const odd = madeA.filter((level, i) => madeB[i] !== 'other' && madeB[i] !== `of ${level}`).length;
    expect(odd / n).toBeLessThan(0.005);
  });

  test('keeps cells missing where they were: at their rate, and exactly when', async () => {
    const reason = times(n, (i) => (i % 4 === 0 ? null : `reason ${i % 3}`));
    const isMissing = reason.map((cell) => (cell === null ? 'missing' : 'there'));
    const made = await sampled(tableOf(category('reason', reason), category('indicator', isMissing)));
    const cells = cellsOf(made, 'reason');
    const indicator = cellsOf(made, 'indicator');
    expectNear(
      cells.filter((cell) => cell === null).length / n,
      0.25,
      withinStandardErrors(5, Math.sqrt((0.25 * 0.75) / n)),
    );
    expect(cells.filter((cell, i) => (cell === null) !== (indicator[i] === 'missing')).length / n).toBeLessThan(0.005);
  });

  test('draws given columns no more, and follows them by the text of their levels', async () => {
    const g = times(n, (i) => (i % 2 === 0 ? 'a' : 'b'));
    const table = tableOf(
      category('g', g),
      category(
        'c',
        g.map((level) => level.toUpperCase()),
      ),
    );
    const fitted = await categoryChain.fit(fitTask(table, ['c'], ['g']));
    const other = tableOf(category('g', ['b', 'never seen', 'a', 'b']));
    const made = await fitted.sample({ rows: 4, made: other, random: createStream(1, 's'), onProgress: silent });
    expect(made.map(({ name }) => name)).toEqual(['c']);
    const cells = cellsOf(made, 'c');
    expect([cells[0], cells[2], cells[3]]).toEqual(['B', 'A', 'B']);
    expect(['A', 'B']).toContain(cells[1]);
  });

  test('does not tie a row together by an identifier', async () => {
    const id = times(n, (i) => `id ${i}`);
    const a = times(n, () => `level ${random.integer(5)}`);
    const made = await sampled(tableOf(category('id', id), category('a', a)));
    const real = new Map(id.map((level, i) => [level, a[i]]));
    const same = cellsOf(made, 'id').filter((level, i) => real.get(level!) === cellsOf(made, 'a')[i]).length;
    expect(same / n).toBeLessThan(0.3);
  });
});

describe('a chain of trees', () => {
  test('keeps what depends on two columns together and on neither alone', async () => {
    const a = times(n, () => (random.integer(2) === 0 ? 'x' : 'y'));
    const b = times(n, () => (random.integer(2) === 0 ? 'p' : 'q'));
    const both = a.map((level, i) => ((level === 'x') === (b[i] === 'p') ? 'same' : 'other'));
    // Noise, so that no column follows from another one alone or together.
    const noisy = both.map((level) => (random.uniform() < 0.1 ? 'same' : level));
    const made = await sampled(tableOf(category('a', a), category('b', b), category('both', noisy)));
    const [madeA, madeB, madeBoth] = ['a', 'b', 'both'].map((name) => cellsOf(made, name));
    const odd = madeA!.filter((level, i) => madeBoth![i] === 'other' && (level === 'x') === (madeB![i] === 'p')).length;
    expect(odd / n).toBeLessThan(0.01);
    expectNear(
      madeBoth!.filter((level) => level === 'other').length / n,
      0.45,
      withinStandardErrors(5, Math.sqrt((0.45 * 0.55) / n)),
    );
  });

  test('keeps a column that follows from another one, in every row', async () => {
    const province = times(n, () => `province ${random.integer(40)}`);
    const region = province.map((level) => `region ${level.length + (level.charCodeAt(9) % 4)}`);
    const code = province.map((level) => `c${level}`);
    const made = await sampled(
      tableOf(category('region', region), category('province', province), category('code', code)),
    );
    const known = new Map(province.map((level, i) => [level, region[i]]));
    const [regions, provinces, codes] = ['region', 'province', 'code'].map((name) => cellsOf(made, name));
    expect(provinces!.every((level, i) => known.get(level!) === regions![i])).toBe(true);
    expect(provinces!.every((level, i) => codes![i] === `c${level}`)).toBe(true);
  });

  test('releases no level of fewer than five rows, unless asked to', async () => {
    const cells = times(n, (i) => (i < 4 ? `rare ${i}` : i < 8 ? 'four rows' : `usual ${i % 3}`));
    const other = cells.map((cell) => (cell.startsWith('usual') ? 'u' : 'r'));
    const table = tableOf(category('c', cells), category('other', other));
    const made = cellsOf(await sampled(table), 'c');
    expect(new Set(made)).toEqual(new Set(['usual 0', 'usual 1', 'usual 2']));
    const task = fitTask(table, ['c', 'other']);
    const kept = await categoryChain.fit({ ...task, settings: { ...task.settings, keepRare: true } });
    const all = await kept.sample({ rows: 20_000, made: table, random: createStream(2, 's'), onProgress: silent });
    expect(cellsOf(all, 'c')).toContain('four rows');
    expect(kept.diagnostics().notes).toEqual([]);
  });

  test('says what was withheld, and leaves cells empty where no level has rows enough', async () => {
    const table = tableOf(
      category(
        'name',
        times(50, (i) => `name ${i}`),
      ),
    );
    const fitted = await categoryChain.fit(fitTask(table, ['name']));
    const made = await fitted.sample({ rows: 30, made: table, random: createStream(2, 's'), onProgress: silent });
    expect(cellsOf(made, 'name').every((cell) => cell === null)).toBe(true);
    expect(JSON.stringify(fitted.diagnostics().notes)).toMatch(/50 levels of column .*name.* are empty.*keep_rare/);
  });

  test('keeps the missing cells of two rows in hundreds', async () => {
    const cells = times(400, (i) => (i < 2 ? null : `level ${i % 2}`));
    const table = tableOf(category('c', cells));
    const fitted = await categoryChain.fit(fitTask(table, ['c']));
    const made = await fitted.sample({ rows: 20_000, made: table, random: createStream(2, 's'), onProgress: silent });
    const share = cellsOf(made, 'c').filter((cell) => cell === null).length / 20_000;
    expect(share).toBeGreaterThan(0.002);
    expect(share).toBeLessThan(0.01);
  });
});

describe('missing cells beside levels', () => {
  const many = 4000;
  /** Work is missing, or never, exactly where the post is missing; of never there are too few rows to be released. */
  const work = times(many, (i) => (i % 20 === 0 ? (i % 1000 === 0 ? 'never' : null) : `work ${i % 3}`));
  const post = times(many, (i) => (i % 20 === 0 ? null : `post ${(i * 7) % 11}`));
  const table = tableOf(category('work', work), category('post', post));

  test.each([[['work', 'post']], [['post', 'work']]])('are never made where none was: %j', async (columns) => {
    const fitted = await categoryChain.fit(fitTask(table, columns));
    // Smoothing has a tenth of a row in each leaf: of so many tables some would have one.
    for (let seed = 0; seed < 100; seed++) {
      const made = await fitted.sample({
        rows: many,
        made: table,
        random: createStream(seed, 's'),
        onProgress: silent,
      });
      const [works, posts] = ['work', 'post'].map((name) => cellsOf(made, name));
      expect(works).not.toContain('never');
      expect(times(many, (row) => (works![row] === null) !== (posts![row] === null)).filter(Boolean)).toEqual([]);
      expect(works!.filter((cell) => cell === null).length).toBeGreaterThan(0.04 * many);
    }
  });

  test.each([[['work', 'post']], [['post', 'work']]])(
    'are beside the levels that they were beside: %j',
    async (columns) => {
      const often = work.map((cell, i) => (i % 20 === 0 && i % 400 === 0 ? 'never' : cell));
      const own = tableOf(category('work', often), category('post', post));
      const fitted = await categoryChain.fit(fitTask(own, columns));
      let nevers = 0;
      for (let seed = 0; seed < 300; seed++) {
        const made = await fitted.sample({
          rows: many,
          made: own,
          random: createStream(seed, 's'),
          onProgress: silent,
        });
        const [works, posts] = ['work', 'post'].map((name) => cellsOf(made, name));
        const isOut = (cell: string | null): boolean => cell === null || cell === 'never';
        expect(times(many, (row) => isOut(works![row]!) !== (posts![row] === null)).filter(Boolean)).toEqual([]);
        nevers += works!.filter((cell) => cell === 'never').length;
      }
      expect(nevers / 300).toBeGreaterThan(7);
    },
  );
});
