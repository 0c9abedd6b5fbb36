import { expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { type Row, synthesize } from '../../../packages/synthesis/index.ts';

const random = createStream(8, 'bare target');
const ROWS: Row[] = Array.from({ length: 520 }, (_, i) => {
  const size = 40 + random.integer(60);
  // Wages as people have them: capped, and in heaps of 50.
  const wage = Math.min(400, Math.max(0, 50 * Math.round((3 * size + 60 * random.normal()) / 50)));
  return { size, town: ['Ash', 'Elm'][i % 2]!, wage: `$${wage}.00` };
});
const REQUEST = {
  target_col: 'wage',
  continuous_cols: ['size'],
  categorical_cols: ['town'],
  family: 'gaussian' as const,
  draws: 100,
  tune: 100,
  n_samples: 400,
};

const wagesOf = (rows: Row[]): number[] => rows.map(({ wage }) => Number(String(wage).replace('$', '')));

it('with calibrate: false the written target goes beyond the real one, in its format, and so do samples of the model', async () => {
  const made = await synthesize(ROWS, { ...REQUEST, calibrate: false }, { seed: 3 });
  const more = await made.model.sample(300, { seed: 4 });
  for (const rows of [made.rows.all(), more.rows.all()]) {
    const wages = wagesOf(rows);
    expect(Math.max(...wages)).toBeGreaterThan(400);
    expect(Math.min(...wages)).toBeLessThan(0);
    expect(rows.every(({ wage }) => /^-?\$-?\d+\.\d\d$/.test(String(wage)))).toBe(true);
    expect(new Set(wages).size).toBeGreaterThan(0.9 * rows.length);
  }
  expect(made.metrics.regression?.calibrated).toBe(false);
  const calibrated = await synthesize(ROWS, REQUEST, { seed: 3 });
  expect(wagesOf(calibrated.rows.all()).every((wage) => wage >= 0 && wage <= 400 && wage % 50 === 0)).toBe(true);
  const strict = await synthesize(
    ROWS.map((row) => ({ ...row, wage: 1 + (Number(row.size) % 7) })),
    {
      ...REQUEST,
      family: 'gamma',
      calibrate: false,
    },
  );
  expect(strict.rows.all().every(({ wage }) => Number.isInteger(wage) && Number(wage) >= 1)).toBe(true);
});
