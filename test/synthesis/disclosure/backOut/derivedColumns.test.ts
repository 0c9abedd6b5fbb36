import { describe, expect, test } from 'vitest';
import { type Asked, cellsOf, drawnOf, outcomeOf } from '../../world.ts';
import { csvOf, known, pick, random, times } from './cells.ts';

describe('columns that follow from others', () => {
  const size = times(300, () => 20 + random.integer(900));
  const level = times(300, () => pick(['low', 'mid', 'high']));
  const csv = csvOf(
    {
      y: (i) => `$${(size[i]! * 3 + random.integer(40)).toFixed(2)}`,
      size: (i) => String(size[i]),
      log_size: (i) => Math.log(size[i]!).toFixed(4),
      inches: (i) => `${(size[i]! / 2.54).toFixed(2)} in`,
      level: (i) => level[i]!,
      rank: (i) => String(['low', 'mid', 'high'].indexOf(level[i]!) + 1),
      copy: (i) => level[i]!,
    },
    300,
  );
  const asked: Asked = {
    target_col: 'y',
    continuous_cols: ['size', 'log_size', 'inches'],
    categorical_cols: ['level', 'rank', 'copy'],
    n_samples: 400,
  };

  test('follow from them in every row that comes out', async () => {
    const { job, table } = await outcomeOf(csv, asked, await known(csv, {}));
    const cell = (name: string) => cellsOf(table, name).map((text) => text ?? '');
    const [sizes, logs, inches] = [cell('size'), cell('log_size'), cell('inches')];
    sizes.forEach((text, i) => {
      expect(logs[i]).toBe(String(Number(Math.log(Number(text)).toFixed(4)).toFixed(4)));
      expect(Number.parseFloat(inches[i]!)).toBeCloseTo(Number(text) / 2.54, 1);
      expect(inches[i]).toMatch(/^\d+\.\d\d in$/);
    });
    expect(cell('copy')).toEqual(cell('level'));
    expect(cell('rank')).toEqual(cell('level').map((text) => String(['low', 'mid', 'high'].indexOf(text) + 1)));
    expect(job.metrics?.notes.filter((note) => note.includes('was computed from'))).toHaveLength(4);
    expect(job.metrics?.columns).toHaveLength(7);
  });

  test('follow from categories as numbers, too', async () => {
    const numbers: Asked = { ...asked, continuous_cols: ['rank'], categorical_cols: ['level'] };
    const { table } = await drawnOf(csv, numbers, await known(csv, {}));
    const ranks = cellsOf(table, 'level').map((text) => String(['low', 'mid', 'high'].indexOf(text ?? '') + 1));
    expect(cellsOf(table, 'rank')).toEqual(ranks);
  });

  test('are modelled where one row of the whole table says otherwise', async () => {
    const profile = await known(csv, {});
    const broken = csv.replace(/"(low|mid|high)"\n$/, '"other"\n');
    const { notes } = await drawnOf(broken, asked, { ...profile, rows: 300 });
    expect(notes.join('\n')).not.toContain('Column "copy" was computed from');
    expect(notes.join('\n')).toContain('Column "rank" was computed from "level"');
  });

  test('are modelled where what they follow from is not in the request', async () => {
    const { notes, table } = await drawnOf(csv, { target_col: 'y', categorical_cols: ['copy'] }, await known(csv, {}));
    expect(notes.join('\n')).not.toContain('was computed from');
    expect(new Set(cellsOf(table, 'copy'))).toEqual(new Set(level));
  });
});
