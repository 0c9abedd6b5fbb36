import { describe, expect, test } from 'vitest';
import { cellsOf, drawnOf, outcomeOf, tableOf } from '../../world.ts';
import { csvOf, expectWithin, NUMBERS, pick, TIMES, there, WORDS } from './cells.ts';

describe('numbers in format', () => {
  const csv = csvOf({
    y: (i) => String(i % 50),
    ...Object.fromEntries(Object.entries(NUMBERS).map(([n, [c]]) => [n, c])),
  });

  test.each(Object.entries(NUMBERS))('come out as they came in, as continuous columns: %s', async (name, [, form]) => {
    const outcome = await drawnOf(csv, { target_col: 'y', continuous_cols: [name], n_samples: 500 });
    for (const cell of there(outcome, name)) expect(cell).toMatch(form);
    await expectWithin(csv, outcome, name);
  });

  test.each(['dollars', 'percent', 'german'])('come out as they came in, as the target: %s', async (name) => {
    const outcome = await outcomeOf(csv, { target_col: name, continuous_cols: ['y'], n_samples: 300 });
    for (const cell of there(outcome, name)) expect(cell).toMatch(NUMBERS[name]![1]);
    await expectWithin(csv, outcome, name);
    expect(outcome.job.metrics?.numeric['KS (Avg)']).toBeLessThan(0.2);
  });

  test('come out as they came in, as categories', async () => {
    const outcome = await drawnOf(csv, { target_col: 'y', categorical_cols: Object.keys(NUMBERS), n_samples: 300 });
    const table = await tableOf(csv);
    for (const name of Object.keys(NUMBERS)) {
      const real = new Set(cellsOf(table, name));
      expect(there(outcome, name).filter((cell) => !real.has(cell))).toEqual([]);
    }
  });
});

describe('dates and times', () => {
  const csv = csvOf({
    y: (i) => String(i % 50),
    ...Object.fromEntries(Object.entries(TIMES).map(([n, [c]]) => [n, c])),
  });

  test.each(Object.entries(TIMES))(
    'come out in their form and within bounds, as continuous columns: %s',
    async (name, [, form]) => {
      const outcome = await drawnOf(csv, { target_col: 'y', continuous_cols: [name], n_samples: 500 });
      for (const cell of there(outcome, name)) expect(cell).toMatch(form);
      await expectWithin(csv, outcome, name);
      expect(outcome.notes.join('\n')).toContain(`Column "${name}" was modelled as time`);
    },
  );

  test('come out as they came in, as categories', async () => {
    const name = 'month and year';
    const outcome = await drawnOf(csv, { target_col: 'y', categorical_cols: [name], n_samples: 300 });
    const real = new Set(cellsOf(await tableOf(csv), name));
    expect(there(outcome, name).filter((cell) => !real.has(cell))).toEqual([]);
  });
});

test('boolean words come out as they came in', async () => {
  const columns = Object.fromEntries(Object.entries(WORDS).map(([name, words]) => [name, () => pick(words)]));
  const csv = csvOf({ y: (i) => String(i % 50), ...columns });
  const outcome = await drawnOf(csv, { target_col: 'y', categorical_cols: Object.keys(WORDS), n_samples: 300 });
  for (const [name, words] of Object.entries(WORDS)) {
    expect([...new Set(there(outcome, name))].sort()).toEqual([...words].sort());
  }
});
