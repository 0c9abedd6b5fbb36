import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { leafRankVine } from '../../../../packages/synthesis/models/copula/leafRankVine.ts';
import type { ModelColumn } from '../../../../packages/synthesis/models/model.ts';
import { toModelColumn } from '../../../../packages/synthesis/table/modelTable.ts';
import { inferCellFormat } from '../../../../packages/tables/format/cellFormat.ts';
import { fitTask, numbersOf, numeric, silent, tableOf } from '../tables.ts';

const random = createStream(3, 'bad numbers');
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));

async function fitAndMake(columns: ModelColumn[], rows: number) {
  const names = columns.map(({ name }) => name);
  const fitted = await leafRankVine.fit(fitTask(tableOf(...columns), names));
  const made = { rows, columns: new Map<string, ModelColumn>() };
  return { fitted, made: await fitted.sample({ rows, made, random: createStream(2, 'sample'), onProgress: silent }) };
}

/** A continuous column of a file. */
function columnOf(name: string, cells: readonly string[], notes: string[]): ModelColumn {
  const levels = [...new Set(cells)];
  const codes = Int32Array.from(cells, (cell) => levels.indexOf(cell));
  return toModelColumn(
    { name, codes, levels },
    { role: 'continuous', format: inferCellFormat(levels) ?? null, tokens: [] },
    notes,
  );
}

describe('infinities in a file', () => {
  const z = times(300, random.normal);
  const endless = (i: number): string => ['inf', '-Infinity', '1e999', 'NaN', '∞'][i % 5]!;
  const cells = z.map((value, i) => (i % 12 === 3 ? endless(i) : value.toFixed(3)));

  test('count as missing, are said to, and leave the rest as it is', async () => {
    const notes: string[] = [];
    const column = columnOf('a', cells, notes);
    expect(notes.join()).toContain('25 cells of column "a" without a number counted as missing');
    const { made } = await fitAndMake([column, numeric('b', z)], 500);
    const [a, b] = [numbersOf(made, 'a'), numbersOf(made, 'b')];
    expect(a.every((value) => Math.abs(value) <= Math.max(...z.map(Math.abs)))).toBe(true);
    expect(a.filter((value, i) => Math.abs(value - b[i]!) < 0.5).length).toBeGreaterThan(450);
  });

  test('alone in a column are refused with what to do', () => {
    expect(() => columnOf('a', times(9, endless), [])).toThrow(
      expect.objectContaining({ params: expect.objectContaining({ reason: 'column_without_numbers', column: 'a' }) }),
    );
  });
});

describe('what grows with the columns has a bound', () => {
  const parts = z.object({
    made: z.array(z.object({ tree: z.object({ given: z.array(z.unknown()) }) })),
    vine: z.object({ pairs: z.array(z.array(z.unknown())) }),
  });

  test('of 200 columns a tree asks at most 24, and a vine has at most 1,000 edges', async () => {
    const shared = times(60, random.normal);
    const columns = times(200, (k) =>
      numeric(
        `c${k}`,
        shared.map((value) => value + (k % 5) * random.normal()),
      ),
    );
    const { fitted, made } = await fitAndMake(columns, 20);
    expect(made.map(({ name }) => name)).toEqual(columns.map(({ name }) => name));
    for (const { name } of columns) {
      const real = numbersOf(columns, name);
      const inside = numbersOf(made, name).filter((value) => value >= Math.min(...real) && value <= Math.max(...real));
      expect(inside).toHaveLength(20);
    }
    const saved = parts.parse(fitted.save());
    expect(Math.max(...saved.made.map(({ tree }) => tree.given.length))).toBe(24);
    const edges = saved.vine.pairs.flat().length;
    expect(edges).toBeLessThanOrEqual(1000);
    // Columns that follow another one, a fifth of them here, are not in the vine.
    expect(edges).toBeGreaterThan(800);
  });
});

describe('one number in nearly every row', () => {
  test.each([0.991, 0.9995])('of a share of %d keeps its share, beside a column that follows it', async (share) => {
    const n = 4000;
    const rare = Math.round(n * (1 - share));
    const heap = times(n, (i) => (i < rare ? 1 + 0.1 * i : 0));
    const beside = heap.map((value) => (value > 0 ? 5 : 0) + random.normal());
    const { made } = await fitAndMake([numeric('heap', heap), numeric('beside', beside)], n);
    const own = numbersOf(made, 'heap');
    const others = own.filter((value) => value !== 0).length;
    // A binomial count: four standard deviations.
    expect(Math.abs(others - rare)).toBeLessThan(4 * Math.sqrt(rare) + 1);
    expect(own.every((value) => value >= 0 && value <= Math.max(...heap))).toBe(true);
  });
});

test('a saved model whose vine has a pair of an unknown family is refused as of another version', async () => {
  const x = times(200, random.normal);
  const { fitted } = await fitAndMake([numeric('x', x), numeric('y', times(200, random.normal))], 10);
  const saved = JSON.stringify(fitted.save());
  expect(() => leafRankVine.restore(JSON.parse(saved))).not.toThrow();
  const other = saved.replace(/"family":"(tll|independence)"/, '"family":"clayton"');
  expect(() => leafRankVine.restore(JSON.parse(other))).toThrow(z.ZodError);
});
