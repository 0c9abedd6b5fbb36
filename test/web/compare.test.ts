import { describe, expect, it } from 'vitest';
import { type ReportData, reportSchema } from '../../packages/contract/report.ts';
import { associationCells, largestGaps, overlapOf, scoresOf } from '../../packages/contract/reportScores.ts';
import { createStream } from '../../packages/numerics/random/createStream.ts';
import { makeReport } from '../../packages/synthesis/report/makeReport.ts';
import { chartsOf, sortScores, ticksThatFit } from '../../web/logic/compare.ts';
import { levels, numbers, reportTaskOf, tableOf } from '../support/reportTables.ts';

const REAL = 30_000;
const MADE = 5_000;
const LEVELS = Array.from({ length: 20 }, (_, at) => `level ${at}`);

/** Counts of few values, most of them 0, in the order of the file: sorted, so that its first rows are unlike the others. */
function countsOf(rows: number, seed: number): number[] {
  const stream = createStream(seed, 'counts');
  return Array.from({ length: rows }, () => Math.floor(9 * stream.uniform() ** 4)).sort((a, b) => a - b);
}

/** The later a level, the rarer; more than are drawn. */
function levelsOf(rows: number, seed: number): string[] {
  const stream = createStream(seed, 'levels');
  return Array.from(
    { length: rows },
    () => LEVELS[Math.floor(20 * stream.uniform() ** (seed === 1 ? 2 : 3))] ?? '',
  ).sort();
}

/** As the page has it after a reload: what the service sends. */
const sent = (report: ReportData): ReportData => reportSchema.parse(JSON.parse(JSON.stringify(report)));

const sharesOf = <T>(values: readonly T[]): Map<T, number> => {
  const shares = new Map<T, number>();
  for (const value of values) shares.set(value, (shares.get(value) ?? 0) + 1 / values.length);
  return shares;
};
const common = <T>(a: readonly T[], b: readonly T[]): number => {
  const [own, made] = [sharesOf(a), sharesOf(b)];
  return [...own].reduce((sum, [value, share]) => sum + Math.min(share, made.get(value) ?? 0), 0);
};

describe('charts of a sorted file', () => {
  const [real, made] = [countsOf(REAL, 1), countsOf(MADE, 2)];
  const [a, b] = [levelsOf(REAL, 1), levelsOf(MADE, 2)];
  const whole = { integer: true, decimals: 0, fixed: false, min: 0, max: 8 };
  const task = reportTaskOf(tableOf(numbers('n', real), levels('l', a)), tableOf(numbers('n', made), levels('l', b)));
  const columns = task.columns.map((column) =>
    column.name === 'n' ? { ...column, format: { kind: 'plain' as const, format: whole } } : column,
  );
  const report = sent(makeReport({ ...task, columns }));
  const [n, l] = report.columns;

  it('have the shares of all rows of both tables, number by number', () => {
    const [own, synthetic] = [sharesOf(real), sharesOf(made)];
    expect(n?.axis?.bins).toBe(9);
    for (let value = 0; value < 9; value++) {
      expect(n?.real?.[value]).toBeCloseTo(own.get(value) ?? 0, 4);
      expect(n?.synthetic[value]).toBeCloseTo(synthetic.get(value) ?? 0, 4);
    }
  });

  it('and say the overlap of the two tables, of categories over all levels and not those drawn alone', () => {
    expect(n && overlapOf(n)).toBeCloseTo(common(real, made), 4);
    expect(l && overlapOf(l)).toBeCloseTo(common(a, b), 4);
    expect(l?.axis?.bins).toBeLessThan(LEVELS.length);
    expect(scoresOf(report).map(({ overlap }) => overlap)).toEqual([n?.overlap, l?.overlap]);
  });

  it('beside what two samples of the real distribution have in common, which tables of it come near', () => {
    const redrawn = countsOf(REAL, 3);
    expect(n?.overlap_by_chance).toBeCloseTo(common(redrawn, made), 2);
    expect(n?.overlap_by_chance).toBeLessThan(1);
  });
});

describe('charts of many columns', () => {
  const wide = (seed: number, columns: number) => {
    const stream = createStream(seed, 'wide');
    const base = Array.from({ length: 300 }, () => stream.normal());
    return tableOf(
      ...Array.from({ length: columns }, (_, j) =>
        numbers(
          `column ${j}`,
          base.map((x) => (seed === 2 && j === 7 ? 3 * stream.normal() : x) + stream.normal()),
        ),
      ),
    );
  };
  const report = sent(makeReport(reportTaskOf(wide(1, 200), wide(2, 200))));

  it('are there for each of 200, the one that is furthest off first, and found by name', () => {
    expect(chartsOf(report.columns, '', 'table')).toHaveLength(200);
    expect(chartsOf(report.columns, '', 'worst')[0]?.name).toBe('column 7');
    expect(chartsOf(report.columns, ' COLUMN 19', 'table').map(({ name }) => name)).toEqual([
      'column 19',
      ...Array.from({ length: 10 }, (_, at) => `column ${190 + at}`),
    ]);
  });

  it('and scores of all, worst or best first, with the associations of each', () => {
    const scores = scoresOf(report);
    expect(sortScores(scores, 'overlap')[0]?.name).toBe('column 7');
    expect(sortScores(scores, 'associations')[0]?.name).toBe('column 7');
    expect(sortScores(scores, 'associations', { isReversed: true }).at(-1)?.name).toBe('column 7');
    expect(sortScores(scores, 'name')[1]?.name).toBe('column 1');
  });

  it('and a matrix of those whose associations differ most, where the largest is by all pairs', () => {
    const { associations } = report;
    expect(associations.columns).toHaveLength(60);
    expect(associations.columns).toContain('column 7');
    expect(associations.differences).toMatchObject({ pairs: (200 * 199) / 2 });
    const cells = associationCells(associations);
    expect(cells).toHaveLength((60 * 59) / 2);
    expect(cells.every(({ row, column }) => row > column)).toBe(true);
    expect(largestGaps(associations, 3).every(({ columns }) => columns.includes('column 7'))).toBe(true);
  });

  it('and marks as many as have room', () => {
    const ticks = Array.from({ length: 7 }, (_, at) => ({ at: at * 4, text: '2019-03-01' }));
    const shown = ticksThatFit({ column: 'd', kind: 'numbers', bins: 24, ticks }, 320, 6.6);
    expect(shown.map(({ at }) => at)).toEqual([0, 8, 16, 24]);
  });
});
