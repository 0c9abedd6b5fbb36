import { beforeAll, describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { compare, type Row, synthesize, type TableComparison } from '../../../packages/synthesis/index.ts';
import { MASKS } from '../../support/maskedRows.ts';

/** Rows of a made-up but plausible table: rent follows size, and towns differ. */
function rowsOf(count: number, seed: number): Row[] {
  const random = createStream(seed, 'compare');
  return Array.from({ length: count }, () => {
    const town = ['Ash', 'Elm', 'Oak'][random.integer(3)]!;
    const size = Math.round((30 + 90 * random.uniform()) * 10) / 10;
    const age = Math.round(10 * Math.abs(12 * random.normal())) / 10;
    return {
      town,
      size,
      age,
      rent: Math.round(100 * (3 * size - age + (town === 'Oak' ? 60 : 0) + 9 * random.normal())) / 100,
    };
  });
}

const REAL = rowsOf(400, 1);
const HELD = rowsOf(400, 2);
const FRESH = rowsOf(400, 3);
const REQUEST = { target_col: 'rent', continuous_cols: ['size', 'age'], categorical_cols: ['town'] };

const gradesOf = ({ verdicts }: TableComparison) =>
  Object.fromEntries(verdicts.map(({ area, grade }) => [area, grade]));

const NUMBERS = ['size', 'age', 'rent'];

describe('compare', () => {
  it('calls rows good that were drawn as the real ones were, but for what 400 held-out rows cannot show', async () => {
    const found = await compare(REAL, FRESH, REQUEST, { holdout: HELD, seed: 1 });
    expect(gradesOf(found)).toEqual({ likeness: 'good', usefulness: 'good', privacy: 'not_shown' });
    expect(found.metrics.measured_on).toMatchObject({ method: 'holdout', train: 400, holdout: 400 });
  });

  it('takes a target of labels, and judges how well it is predicted as a category', async () => {
    const asked = { target_col: 'town', continuous_cols: NUMBERS, categorical_cols: [] };
    const { metrics } = await compare(REAL, FRESH, asked, { holdout: HELD, seed: 1 });
    expect([metrics.numeric['TSTR R²'], metrics.utility?.target.value]).toEqual([null, null]);
    expect(metrics.utility?.categories).toMatchObject([{ column: 'town', auc: { verdict: 'as good' } }]);
  });

  it.each(Object.entries(MASKS))('calls the privacy of %s poor', async (_, mask) => {
    const found = await compare(REAL, mask(REAL, NUMBERS), REQUEST, { holdout: HELD, seed: 1 });
    expect(gradesOf(found).privacy).toBe('poor');
  });

  it('sees copies without held-out rows, and says that it cannot judge attacks', async () => {
    const copies = await compare(REAL, REAL, REQUEST, { seed: 1 });
    expect(gradesOf(copies).privacy).toBe('poor');
    const fresh = await compare(REAL, FRESH, REQUEST, { seed: 1 });
    const privacy = fresh.verdicts.find(({ area }) => area === 'privacy');
    expect(privacy).toMatchObject({ grade: 'unknown', next: [{ action: 'hold_out_rows' }] });
    expect(fresh.metrics.privacy?.dcr_share).toMatchObject({ value: null, verdict: null });
    expect(gradesOf(fresh)).toMatchObject({ likeness: 'not_shown', usefulness: 'good' });
  });

  it('never says that there are no copies if there is one, and names the rows for the owner', async () => {
    const found = await compare(REAL, [...FRESH, REAL[41]!], REQUEST, { seed: 1 });
    const privacy = found.verdicts.find(({ area }) => area === 'privacy');
    expect(privacy?.grade).toBe('poor');
    expect([privacy?.headline, ...(privacy?.sentences ?? [])].join(' ')).not.toMatch(/no copies/i);
    expect(found.metrics.privacy?.copied_rows).toMatchObject([{ row: 401, real_rows: [42] }]);
  });

  it('leaves held-out rows out that are real rows, too, and says so', async () => {
    const found = await compare(REAL, FRESH, REQUEST, { holdout: [...HELD, ...REAL.slice(0, 20)], seed: 1 });
    expect(found.metrics.notes.join(' ')).toContain(
      '20 held-out rows are rows of the real table, too, and were left out',
    );
    expect(found.metrics.measured_on?.holdout).toBe(400);
    const none = await compare(REAL, FRESH, REQUEST, { holdout: REAL, seed: 1 });
    expect(none.metrics.measured_on?.method).toBe('halves');
  });

  it('calls columns that are drawn apart from each other neither like nor useful', async () => {
    const random = createStream(7, 'apart');
    const apart = FRESH.map((row) => ({ ...row, rent: FRESH[random.integer(FRESH.length)]!.rent }));
    const found = await compare(REAL, apart, REQUEST, { holdout: HELD, seed: 1 });
    expect([gradesOf(found).likeness, gradesOf(found).usefulness]).not.toContain('good');
  });

  it('takes the suggested roles where none are given, whatever the order of the columns, and leaves others out', async () => {
    const turned = FRESH.map(({ town, size, age, rent }) => ({ extra: 1, rent, age, size, town }));
    const found = await compare(REAL, turned, {}, { holdout: HELD, seed: 1 });
    expect(found.columns).toEqual(['town', 'size', 'age', 'rent']);
  });

  it('says which column a table lacks', async () => {
    const without = FRESH.map(({ rent: _, ...row }) => row);
    await expect(compare(REAL, without, REQUEST)).rejects.toMatchObject({
      code: 'column_not_found',
      params: { reason: 'compared_column_missing', column: 'rent' },
      message: expect.stringMatching(/no column "rent".*Rename the columns/),
    });
  });

  it('stops when it is told to', async () => {
    const stop = new AbortController();
    const found = compare(REAL, FRESH, REQUEST, {
      signal: stop.signal,
      onEvent: () => stop.abort(new Error('enough')),
    });
    await expect(found).rejects.toThrow('enough');
  });
});

describe('a report of a comparison', () => {
  let found: TableComparison;
  beforeAll(async () => {
    const made = await synthesize(
      REAL,
      { ...REQUEST, family: 'gaussian', draws: 100, tune: 100, n_samples: 300 },
      { seed: 3 },
    );
    found = await compare(REAL, made.rows.all(), REQUEST, { holdout: HELD, seed: 1 });
  });

  it('is drawn, of a table that this product made, too', async () => {
    expect(gradesOf(found).likeness).toBe('good');
    const report = await found.report();
    expect(report?.html).toContain('rent');
    expect(report?.data.judgements).toEqual(found.verdicts);
    expect(report?.html).toMatch(/SHA-256 of the synthetic file<\/th><td><code>[0-9a-f]{64}<[\s\S]*without a receipt/);
    expect(report?.html).toContain('this report compares two tables');
  });

  it('is the same for the same seed', async () => {
    const again = await compare(REAL, REAL, REQUEST, { holdout: HELD, seed: 1 });
    const twice = await compare(REAL, REAL, REQUEST, { holdout: HELD, seed: 1 });
    expect(again.metrics).toEqual(twice.metrics);
  });
});
