import { describe, expect, test } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { categoryChain } from '../../../../packages/synthesis/models/categorical/categoryChain.ts';
import { redrawnLabels } from '../../../../packages/synthesis/models/categorical/redrawnLabels.ts';
import type { CategoryColumn, FittedModel, ModelTable } from '../../../../packages/synthesis/models/model.ts';
import { category, fitTask, numeric, silent, tableOf } from '../tables.ts';

const random = createStream(3, 'survey');
const LEVELS = ['never', 'seldom', 'at times', 'often', 'always'];
const names = Array.from({ length: 10 }, (_, i) => `q${i + 1}`);

/** Answers to ten questions of two kinds, 2 % of them missing. */
function survey(rows: number): ModelTable {
  const traits = [0, 1].map(() => Float64Array.from({ length: rows }, random.normal));
  const answer = (q: number, row: number): string | null => {
    if (random.uniform() < 0.02) return null;
    const x = 0.75 * traits[q % 2]![row]! + 0.66 * random.normal();
    return LEVELS[Math.max(0, Math.min(4, Math.floor(1.2 * x + 2.5 + (q % 3) * 0.3)))]!;
  };
  const columns = names.map((name, q) =>
    category(
      name,
      Array.from({ length: rows }, (_, row) => answer(q, row)),
    ),
  );
  return tableOf(...columns, numeric('age', Array.from({ length: rows }, random.normal)));
}

function ranks({ levels, codes }: CategoryColumn): Float64Array {
  return Float64Array.from(codes, (code) => (code < 0 ? Number.NaN : LEVELS.indexOf(levels[code]!)));
}

function correlation(a: Float64Array, b: Float64Array): number {
  const rows = [...a.keys()].filter((row) => !Number.isNaN(a[row]! + b[row]!));
  const mean = (of: Float64Array) => rows.reduce((sum, row) => sum + of[row]!, 0) / rows.length;
  const [x, y] = [mean(a), mean(b)];
  const sum = (of: (row: number) => number) => rows.reduce((all, row) => all + of(row), 0);
  const squares = (of: Float64Array, m: number) => sum((row) => (of[row]! - m) ** 2);
  return sum((row) => (a[row]! - x) * (b[row]! - y)) / Math.sqrt(squares(a, x) * squares(b, y));
}

/** Correlations of questions of one kind: their mean among those made, over that among the real ones. */
function kept(real: ModelTable, made: readonly CategoryColumn[]): number {
  let [own, theirs] = [0, 0];
  names.forEach((one, i) => {
    names.slice(0, i).forEach((other, j) => {
      if ((i - j) % 2 !== 0) return;
      const of = (name: string) => ranks(real.columns.get(name) as CategoryColumn);
      const by = (name: string) => ranks(made.find((column) => column.name === name)!);
      theirs += correlation(of(one), of(other));
      own += correlation(by(one), by(other));
    });
  });
  return own / theirs;
}

const drawn = async (model: FittedModel, made: ModelTable): Promise<CategoryColumn[]> =>
  (await model.sample({ rows: made.rows, made, random: createStream(9, 'rows'), onProgress: silent })).filter(
    (column) => column.kind === 'category',
  );

describe('answers of one person to many questions', () => {
  // Trees alone keep .64 and .74 of these correlations.
  test.each([300, 1_500])('go together as in the table, of %i rows', async (rows) => {
    const table = survey(rows);
    const chain = await categoryChain.fit(fitTask(table, names, []));
    const first = await drawn(chain, { rows, columns: new Map() });
    expect(kept(table, first)).toBeGreaterThan(0.88);
    expect(kept(table, first)).toBeLessThan(1.12);
  });

  test('still do when they are drawn again beside a number, and stay missing where they were', async () => {
    const rows = 1_500;
    const table = survey(rows);
    const first = await drawn(await categoryChain.fit(fitTask(table, names, [])), { rows, columns: new Map() });
    const columns = new Map([...first, table.columns.get('age')!].map((column) => [column.name, column]));
    const again = await redrawnLabels.fit(fitTask(table, names, ['age', ...names]));
    const second = await drawn(again, { rows, columns });
    expect(kept(table, second)).toBeGreaterThan(0.88);
    second.forEach((column, q) => {
      expect(column.codes.map((code) => Math.min(code, 0))).toEqual(first[q]!.codes.map((code) => Math.min(code, 0)));
    });
    expect(second.some((column, q) => column.codes.some((code, row) => code !== first[q]!.codes[row]))).toBe(true);
  });
});

test('what two columns say only together is still said by trees', async () => {
  const rows = 1_200;
  const [a, b] = [0, 1].map(() => Array.from({ length: rows }, () => (random.integer(2) ? 'yes' : 'no')));
  const same = a!.map((cell, row) => (random.uniform() < 0.9 === (cell === b![row]) ? 'same' : 'other'));
  const table = tableOf(category('a', a!), category('b', b!), category('same', same));
  const chain = await categoryChain.fit(fitTask(table, ['a', 'b', 'same'], []));
  const made = await drawn(chain, { rows, columns: new Map() });
  const cell = (name: string, row: number) => {
    const { levels, codes } = made.find((column) => column.name === name)!;
    return levels[codes[row]!];
  };
  let hits = 0;
  for (let row = 0; row < rows; row++)
    hits += Number((cell('a', row) === cell('b', row)) === (cell('same', row) === 'same'));
  expect(hits / rows).toBeGreaterThan(0.85);
});
