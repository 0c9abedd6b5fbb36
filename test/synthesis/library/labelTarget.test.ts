import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { type Row, restoreModel, synthesize, type TableRequestBody } from '../../../packages/synthesis/index.ts';

const random = createStream(9, 'label target');
/** A grade that follows size and town, missing in some rows; one level of it is rare. */
const ROWS: Row[] = Array.from({ length: 900 }, (_, i) => {
  const size = 40 + random.integer(60);
  const town = ['Ash', 'Elm'][i % 2]!;
  const score = (size - 70) / 15 + (town === 'Elm' ? 1 : 0) + random.normal();
  const grade = score < -0.5 ? 'low' : score < 0.8 ? 'medium' : 'high';
  return { size, town, grade: i % 10 === 0 ? null : i < 4 ? 'unheard of' : grade, code: i % 7 < 5 ? 'yes' : 'no' };
});
const REQUEST: TableRequestBody = {
  target_col: 'grade',
  continuous_cols: ['size'],
  categorical_cols: ['town'],
  draws: 150,
  tune: 150,
  n_samples: 700,
};
const countsOf = (rows: readonly Row[], name: string): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const row of rows) counts[String(row[name])] = (counts[String(row[name])] ?? 0) + 1;
  return counts;
};

describe('a table with a target of labels', () => {
  it('has them drawn last, in their shares, missing as often, without rare ones, and says how its model did', async () => {
    const made = await synthesize(ROWS, REQUEST, { seed: 3 });
    const rows = made.rows.all();
    const [real, own] = [countsOf(ROWS, 'grade'), countsOf(rows, 'grade')];
    expect(Object.keys(own).sort()).toEqual(['high', 'low', 'medium', 'null']);
    for (const level of Object.keys(own)) expect(own[level]! / 700).toBeCloseTo(real[level]! / 900, 1);
    const { regression, utility, numeric } = made.metrics;
    expect(regression).toMatchObject({
      target: 'grade',
      family: 'categorical',
      drawn_by: 'regression',
      converged: true,
      label: { ordered: true, levels: [{ level: 'low' }, { level: 'medium' }, { level: 'high' }] },
      family_choice: { family: 'categorical', candidates: [] },
    });
    expect(regression?.label?.calibration?.rows).toBeGreaterThan(60);
    expect(numeric.family).toBe('categorical');
    expect([numeric['TSTR R²'], utility?.target.value]).toEqual([null, null]);
    expect(utility?.categories.map(({ column }) => column)).toContain('grade');
    expect(made.metrics.notes.join(' ')).toContain('Target "grade": categorical, 3 levels in their order');
    expect(made.metrics.verdicts?.find(({ area }) => area === 'model')?.sentences.join(' ')).toContain('held-out');
  });

  it('gives more rows from its saved model, with the same bytes for the same seed', async () => {
    const made = await synthesize(ROWS, { ...REQUEST, calibrate: false }, { seed: 3 });
    expect(made.metrics.regression?.calibrated).toBe(false);
    const saved = made.model.save();
    expect(saved).not.toContain('unheard of');
    const restored = await restoreModel(saved, ROWS);
    const [first, second] = [await made.model.sample(300, { seed: 4 }), await restored.sample(300, { seed: 4 })];
    expect(first.rows.all()).toEqual(second.rows.all());
    expect(Object.keys(countsOf(first.rows.all(), 'grade')).sort()).toEqual(['high', 'low', 'medium', 'null']);
    expect(first.metrics.regression?.label?.calibration).toEqual(made.metrics.regression?.label?.calibration);
  });

  it('meets conditions on its labels', async () => {
    const conditions = [
      { column: 'grade', equals: 'high', rows: 200 },
      { column: 'grade', in: ['low', 'medium'], rows: 100 },
    ];
    const made = await synthesize(ROWS, { ...REQUEST, n_samples: 300, conditions }, { seed: 3 });
    const counts = countsOf(made.rows.all(), 'grade');
    expect([counts.high, counts.low! + counts.medium!]).toEqual([200, 100]);
  });

  it('takes two labels as bernoulli, and numbers as labels where the family says so', async () => {
    const two = await synthesize(ROWS, { ...REQUEST, target_col: 'code' }, { seed: 3 });
    expect(two.metrics.regression).toMatchObject({ family: 'bernoulli', label: { levels: [{ level: 'no' }, {}] } });
    const rooms = ROWS.map((row) => ({ ...row, rooms: 1 + (Number(row.size) % 3) }));
    const asked = { ...REQUEST, target_col: 'rooms', continuous_cols: [], family: 'categorical' as const };
    const three = await synthesize(rooms, asked, { seed: 3 });
    expect(three.metrics.regression).toMatchObject({
      family: 'categorical',
      family_choice: null,
      label: { ordered: true, levels: [{ level: '1' }, { level: '2' }, { level: '3' }] },
    });
  });

  it('is drawn with the rows of its entity where it changes within it', async () => {
    const rows = ROWS.map((row, i) => ({ ...row, customer: `C${1000 + Math.floor(i / 6)}` }));
    const asked = { ...REQUEST, entity_col: 'customer', n_samples: 300 };
    const made = await synthesize(rows, asked, { seed: 3 });
    expect(made.metrics.regression).toMatchObject({ drawn_by: 'sequence', family: 'categorical' });
    expect(Object.keys(countsOf(made.rows.all(), 'grade'))).toContain('medium');
  });

  it('refuses a family of numbers', async () => {
    await expect(synthesize(ROWS, { ...REQUEST, family: 'gamma' })).rejects.toThrow(/has categories/);
  });
});
