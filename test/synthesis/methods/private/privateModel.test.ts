import { describe, expect, it } from 'vitest';
import type { ColumnDomain } from '../../../../packages/contract/privacy.ts';
import { type Curator, createCurator } from '../../../../packages/numerics/privacy/curator.ts';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { type CodedColumn, codeColumn } from '../../../../packages/synthesis/methods/private/codes.ts';
import {
  drawPrivately,
  type PrivateModel,
  privateModelSchema,
} from '../../../../packages/synthesis/methods/private/privateModel.ts';
import { sketchColumn } from '../../../../packages/synthesis/methods/private/sketchColumn.ts';
import { fitBy, type Question, recording, replaying } from '../../../support/privacyAudit.ts';
import { bytesFrom } from '../../../support/samplers.ts';

const ROWS = 600;
const DOMAIN: Record<string, ColumnDomain> = {
  age: { min: 18, max: 90, decimals: 0 },
  pay: { min: 0, max: 1_000_000, decimals: 0 },
  sex: { levels: ['F', 'M'] },
  job: { levels: ['clerk', 'driver', 'judge', 'pilot', 'none'] },
};

/** Pay is 0 for most, job goes with sex, and a few jobs are missing. */
function tableOf(rows = ROWS): CodedColumn[] {
  const random = createStream(5, 'table');
  const cells: Record<string, (string | null)[]> = { age: [], pay: [], sex: [], job: [] };
  for (let row = 0; row < rows; row++) {
    const isF = random.uniform() < 0.4;
    cells.sex!.push(isF ? 'F' : 'M');
    cells.age!.push(String(20 + random.integer(60)));
    cells.pay!.push(random.uniform() < 0.7 ? '0' : String(20_000 + random.integer(1000)));
    const job = random.uniform();
    cells.job!.push(job < 0.1 ? null : (isF ? job < 0.8 : job < 0.3) ? 'judge' : 'driver');
  }
  return Object.entries(cells).map(([name, texts]) => coded(name, texts));
}

function coded(name: string, texts: readonly (string | null)[]): CodedColumn {
  const levels = [...new Set(texts)].filter((text) => text !== null);
  const codes = Int32Array.from(texts, (text) => (text === null ? -1 : levels.indexOf(text)));
  return codeColumn({ name, codes, levels }, DOMAIN[name]!);
}

const bytesOf = (seed: number) => bytesFrom(seed, 'noise');

const draw = (model: PrivateModel, rows: number) =>
  drawPrivately(model, rows, { target: null, random: createStream(1, 'draw'), yieldToEventLoop: async () => {} });

/** The same table without the row. */
const leavingOut = (columns: readonly CodedColumn[], row: number): CodedColumn[] =>
  columns.map((column) => ({ ...column, codes: column.codes.filter((_, at) => at !== row) }));

describe('a private model', () => {
  const [columns, budget] = [tableOf(), 0.05];
  const job = columns[3]!.codes;

  it.each([
    ['the first row', 0],
    ['the last row', ROWS - 1],
    ['a row with a missing cell', job.indexOf(-1)],
    ['a row of a frequent level', job.indexOf(2)],
    ['a row, beside a target', 7, 'sex'],
  ])(
    'depends on %s only through counts and scores that it changes by 1',
    async (_, row, target: string | null = null) => {
      const [first, second]: [Question[], Question[]] = [[], []];
      const model = await fitBy(columns, recording(createCurator(budget, bytesOf(9)), first), budget, target);
      // Equal answers to questions of equal cost, and nothing else of the table differs in what is made of it.
      expect(await fitBy(leavingOut(columns, row), replaying(first, second), budget, target)).toEqual(model);
      expect(second).toHaveLength(first.length);
      expect(first.reduce((sum, { rho }) => sum + rho, 0)).toBeLessThanOrEqual(budget * (1 + 1e-10));
      expect(first.length).toBeGreaterThan(8);
      for (const [at, { asked, given }] of first.entries()) {
        const changes = asked.map((value, cell) => Math.abs(value - second[at]!.asked[cell]!));
        if (typeof given === 'number') expect(Math.max(...changes)).toBeLessThanOrEqual(1);
        else expect(changes.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(1);
      }
    },
  );

  it.each([
    [0.05, null],
    [50, null],
    [0.05, 'sex'],
    [5, 'age'],
  ])(
    'is the same for any other table, where the curator answers alike by a budget of %s, beside the target %s',
    async (rho, target) => {
      const first: Question[] = [];
      const model = await fitBy(columns, recording(createCurator(rho, bytesOf(9)), first), rho, target);
      // A twelfth of the rows, and other ones: what depends on a table past the curator does not hide behind a threshold.
      const other = columns.map((column, at) => ({
        ...column,
        codes: Int32Array.from({ length: 50 }, (_, row) => (row + at) % column.size),
      }));
      expect(await fitBy(other, replaying(first, []), rho, target)).toEqual(model);
    },
  );

  it('draws the same rows from the same measurements and stream, and others from other noise', async () => {
    const columns = tableOf();
    const model = await fitBy(columns, createCurator(0.05, bytesOf(1)), 0.05);
    const again = JSON.parse(JSON.stringify(model));
    expect(await draw(again, 300)).toEqual(await draw(model, 300));
    const other = await fitBy(columns, createCurator(0.05, bytesOf(2)), 0.05);
    expect(await draw(other, 300)).not.toEqual(await draw(model, 300));
  });

  it('nears the table as the budget grows: shares, an atom, missing cells and a dependence', async () => {
    const columns = tableOf();
    const model = await fitBy(columns, createCurator(5, bytesOf(3)), 5);
    const [, pay, sex, job] = await draw(model, 2000);
    const share = (codes: Int32Array, is: (row: number) => boolean) =>
      codes.filter((_, row) => is(row)).length / codes.length;
    const real = columns[2]!.codes.filter((code) => code === 0).length / ROWS;
    // A noise of one row in 600, and rounding to whole rows.
    expect(Math.abs(share(sex!, (row) => sex![row] === 0) - real)).toBeLessThan(0.02);
    expect(Math.abs(share(pay!, (row) => pay![row] === 0) - 0.7)).toBeLessThan(0.06);
    // A dozen parts between 0 and them are empty but for noise of two rows each.
    expect(share(pay!, (row) => pay![row]! > 25_000 || (pay![row]! > 0 && pay![row]! < 15_000))).toBeLessThan(0.04);
    expect(Math.abs(share(job!, (row) => job![row] === -1) - 0.1)).toBeLessThan(0.04);
    expect(judges(job!, sex!, 0) - judges(job!, sex!, 1)).toBeGreaterThan(0.35);
    // No row has it: noise of two rows in 600.
    expect(share(job!, (row) => job![row] === 3)).toBeLessThan(0.02);
  });

  it('counts each column by the target before it chooses a pair, and each row once', async () => {
    const answers: Question[] = [];
    const curator = recording(createCurator(5, bytesOf(9)), answers);
    const { columns, pairs } = await fitBy(tableOf(), curator, 5, 'sex');
    const chosen = answers.findIndex(({ given }) => typeof given === 'number');
    expect(pairs.slice(0, 3).map(({ scope }) => scope)).toEqual([
      [0, 2],
      [1, 2],
      [2, 3],
    ]);
    for (const { asked } of answers.slice(chosen - 3, chosen)) expect(asked.reduce((a, b) => a + b, 0)).toBe(ROWS);
    for (const { scope, counts, variances } of pairs) {
      expect(counts).toHaveLength(columns[scope[0]!]!.size * columns[scope[1]!]!.size);
      expect(variances).toHaveLength(counts.length);
    }
  });

  it('draws from a model of an earlier version, whose pairs have one variance each', async () => {
    const model = await fitBy(tableOf(), createCurator(0.5, bytesOf(1)), 0.5);
    const pairs = model.pairs.map(({ scope, counts, variances }) => ({ scope, counts, variance: variances[0] }));
    const earlier = privateModelSchema.parse(JSON.parse(JSON.stringify({ ...model, pairs })));
    expect(await draw(earlier, 100)).toEqual(await draw(model, 100));
  });

  it('keeps numbers apart that few rows have, where they say something of the target', async () => {
    const random = createStream(6, 'gains');
    const cells: Record<'pay' | 'sex', string[]> = { pay: [], sex: [] };
    for (let row = 0; row < 6000; row++) {
      const gain = random.uniform();
      const isHigh = gain > 0.97;
      cells.pay.push(gain < 0.92 ? '0' : String((isHigh ? 70_000 : 20_000) + random.integer(9_000)));
      cells.sex.push(random.uniform() < (isHigh ? 0.95 : 0.2) ? 'F' : 'M');
    }
    const columns = Object.entries(cells).map(([name, texts]) => coded(name, texts));
    for (let seed = 1; seed <= 8; seed++) {
      const model = await fitBy(columns, createCurator(0.004, bytesOf(seed)), 0.004, 'sex');
      const [pay, sex] = await draw(model, 6000);
      const shareOfF = (from: number, to: number): number => {
        const rows = [...pay!.keys()].filter((row) => pay![row]! >= from && pay![row]! < to);
        return rows.filter((row) => sex![row] === 0).length / rows.length;
      };
      // An even grid of ranges loses one of both in some.
      expect(shareOfF(70_000, 79_000)).toBeGreaterThan(0.6);
      expect(shareOfF(20_000, 29_000)).toBeLessThan(0.4);
    }
  });

  const judges = (job: Int32Array, sex: Int32Array, of: number): number => {
    const rows = [...job.keys()].filter((row) => sex[row] === of);
    return rows.filter((row) => job[row] === 2).length / rows.length;
  };
});

describe('a sketch of a column', () => {
  it('finds a number that most rows have among a million, and bins no other with it', () => {
    const [, pay] = tableOf();
    const sketch = sketchColumn(pay!, createCurator(1, bytesOf(4)), 1, 16);
    expect(sketch.edges[0]).toBe(0);
    expect(sketch.edges[1]).toBe(1);
    expect(sketch.bins[1]).toBe(1);
    expect(sketch.edges.at(-1)).toBe(1_000_001);
    expect(sketch.hasMissing).toBe(false);
  });

  it('counts few numbers one by one, at once', () => {
    const [age] = tableOf();
    const asked: number[] = [];
    const curator = createCurator(1, bytesOf(4));
    const count: Curator['count'] = (cells, rho) => {
      asked.push(cells.length);
      return curator.count(cells, rho);
    };
    const { edges } = sketchColumn(age!, { ...curator, count }, 1, 16);
    // 18 to 90, and the missing ones.
    expect(asked).toEqual([74]);
    expect(edges).toEqual(Array.from({ length: 74 }, (_, at) => at));
  });

  it('has bins for the few numbers beside one that most rows have', () => {
    const random = createStream(8, 'gains');
    const gains = Array.from({ length: 5000 }, () => (random.uniform() < 0.9 ? 0 : random.integer(1_000_000)));
    const { size } = sketchColumn(coded('pay', gains.map(String)), createCurator(1, bytesOf(4)), 1, 16);
    expect(size).toBeGreaterThan(12);
    expect(size).toBeLessThanOrEqual(20);
  });

  it('spreads rows evenly where parts of a range differ by no more than noise', () => {
    const random = createStream(8, 'even');
    const even = Array.from({ length: 5000 }, () => random.integer(200_000));
    const rho = 0.0005;
    const { edges, weights } = sketchColumn(coded('pay', even.map(String)), createCurator(rho, bytesOf(4)), rho, 16);
    const within = edges.filter((edge) => edge < 200_000).length - 1;
    const shares = weights.slice(0, within).map((weight, at) => weight / (edges[at + 1]! - edges[at]!));
    const mean = shares.reduce((a, b) => a + b) / within;
    // Noise alone is five times the rows of a part, and twice as much in one of 100.
    expect(Math.max(...shares)).toBeLessThan(5 * mean);
  });

  it('reads numbers beyond the domain as its ends, and levels that it does not have as missing', () => {
    const age = coded('age', ['7', '18', '200', 'old', null, ' 44 ']);
    expect([...age.codes]).toEqual([0, 0, 72, -1, -1, 26]);
    expect(age.altered).toBe(3);
    const sex = coded('sex', ['F', 'X', ' M', '', null]);
    expect([...sex.codes]).toEqual([0, -1, 1, -1, -1]);
    expect(sex.altered).toBe(1);
  });

  it('counts a column of a million different texts by the levels of its domain alone', () => {
    const levels = Array.from({ length: 1_000_000 }, (_, at) => `l${at}`);
    const sex = codeColumn({ name: 'sex', codes: Int32Array.from(levels.keys()), levels }, { levels: ['l1', 'l2'] });
    const asked: Question[] = [];
    sketchColumn(sex, recording(createCurator(1, bytesOf(4)), asked), 1, 16);
    expect(asked.map((question) => question.asked)).toEqual([[1, 1, 999_998]]);
  });

  it('reads each cell by itself: the same code whatever the other cells are', () => {
    const texts = ['7', '18', 'old', null, '1e1', ' 44 ', '90.4', '-3', '#N/A', '44', '$20', '1,000', '', '999'];
    const together = coded('age', texts).codes;
    expect([...together]).toEqual(texts.map((text) => coded('age', [text]).codes[0]));
    expect([...coded('age', texts.toReversed()).codes]).toEqual([...together].reverse());
  });
});
