import { describe, expect, test } from 'vitest';
import { cellsOf, drawnOf, outcomeOf } from '../../world.ts';
import { csvOf, known, random, times } from './cells.ts';

describe('identifiers', () => {
  const code = (): string => `AB-${10_000 + random.integer(90_000)}`;
  const codes = [...new Set(times(600, code))].slice(0, 520);
  const csv = csvOf(
    { row: (i) => String(i + 1), code: (i) => codes[i]!, y: (i) => String(i % 50), x: (i) => String((i * 7) % 90) },
    520,
  );
  const identifier = { kind: 'identifier' as const };
  const changes = { row: identifier, code: identifier };

  test.each(['continuous_cols', 'categorical_cols', 'text_cols'])(
    'in %s are new: unique, in their form, none real',
    async (list) => {
      const asked = { target_col: 'y', continuous_cols: ['x'], n_samples: 800 };
      const rows = list === 'continuous_cols' ? { continuous_cols: ['x', 'row', 'code'] } : { [list]: ['row', 'code'] };
      const { job, table } = await outcomeOf(csv, { ...asked, ...rows }, await known(csv, changes));
      expect(cellsOf(table, 'row')).toEqual(times(800, (i) => String(521 + i)));
      const made = cellsOf(table, 'code');
      expect(new Set(made).size).toBe(800);
      expect(made.filter((cell) => cell !== null && (codes.includes(cell) || !/^AB-\d{5}$/.test(cell)))).toEqual([]);
      expect(job.metrics?.columns).toEqual(['row', 'code', 'y', 'x']);
      expect(job.metrics?.notes).toContain(
        'Column "row" has identifiers: continued after the last real one, each used once, none of them real.',
      );
    },
  );

  test('are missing where they were', async () => {
    const gaps = csvOf({ code: (i) => (i % 4 ? codes[i]! : ''), y: (i) => String(i % 50) }, 520);
    const { table } = await drawnOf(
      gaps,
      { target_col: 'y', categorical_cols: ['code'], n_samples: 800 },
      await known(gaps, changes),
    );
    expect(cellsOf(table, 'code').filter((cell) => cell === null).length / 800).toBeCloseTo(0.25, 1);
  });
});
