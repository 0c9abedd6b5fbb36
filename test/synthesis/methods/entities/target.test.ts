import { beforeAll, describe, expect, it } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { type SyntheticTable, synthesize } from '../../../../packages/synthesis/index.ts';

const ENTITIES = 500;
const ROWS = 6;

/** A cost that follows from the row and what is constant in its entity, and goes on from the row before. */
function treatments() {
  const random = createStream(1, 'treatments');
  return Array.from({ length: ENTITIES }, (_, person) => {
    const [age, ward] = [20 + random.integer(60), 'abc'[random.integer(3)]!];
    let [days, stage, before] = [10 + random.integer(20), 0, 0];
    return Array.from({ length: ROWS }, (__, step) => {
      days = Math.max(1, days + random.integer(9) - 4);
      if (stage < 3 && random.uniform() < 0.25) stage++;
      before = 0.5 * before + 4 * days + 15 * stage + 0.5 * age + (ward === 'a' ? 20 : 0) + 8 * random.normal();
      return { person: `P${person}`, step, age, ward, days, stage: `s${stage}`, cost: before.toFixed(1) };
    });
  }).flat();
}

const ROLES = {
  entity_col: 'person',
  order_col: 'step',
  family: 'gaussian' as const,
  draws: 200,
  tune: 200,
  continuous_cols: ['step', 'age', 'days'],
  categorical_cols: ['ward', 'stage'],
  n_entities: ENTITIES,
};

describe('a target that changes within entities', () => {
  let made: SyntheticTable;
  beforeAll(async () => {
    made = await synthesize(treatments(), { ...ROLES, target_col: 'cost' }, { seed: 1 });
  });

  it('is as well predicted from the other columns as in an ordinary table: trained on synthetic rows, tested on real ones', () => {
    const [own, real] = [made.metrics.numeric['TSTR R²'] ?? 0, made.metrics.holdout?.['TSTR R²'] ?? 1];
    expect(real).toBeGreaterThan(0.6);
    expect(own / real).toBeGreaterThan(0.9);
  });

  it('is drawn with the rest of its row, and described by a regression of one row an entity; metrics, notes and report say so', async () => {
    const { regression, notes, numeric, verdicts } = made.metrics;
    expect(regression).toMatchObject({ target: 'cost', family: 'gaussian', drawn_by: 'sequence', rows: 450 });
    expect(regression?.coefficients.map(({ name }) => name)).toEqual(expect.arrayContaining(['days', 'ward = a']));
    expect(numeric.family).toBe('gaussian');
    expect(notes.join('\n')).toContain(
      'Target "cost": drawn row by row with the other columns of its entity. A regression describes it',
    );
    expect(notes.join('\n')).not.toContain('Model of the target');
    expect(verdicts?.find(({ area }) => area === 'model')?.sentences.join(' ')).toContain('drawn row by row');
    expect((await made.report())?.html).toContain('the regression only describes the real ones');
  });

  it('is described alike where more is drawn from the saved model', async () => {
    const more = await made.model.sample(60, { seed: 2 });
    expect(more.rows.all()).toHaveLength(60);
    expect(more.metrics.regression).toEqual(made.metrics.regression);
  });
});

it('a target that is constant within entities is drawn by its regression, once for each', async () => {
  const rows = treatments().map((row) => ({ ...row, bill: String(3 * row.age + (row.ward === 'a' ? 40 : 0)) }));
  const noisy = rows.map((row) => ({
    ...row,
    bill: (Number(row.bill) + (Number(row.person.slice(1)) % 17)).toFixed(1),
  }));
  const made = await synthesize(noisy, { ...ROLES, target_col: 'bill', n_entities: 50 }, { seed: 1 });
  expect(made.metrics.regression).toMatchObject({ target: 'bill', drawn_by: 'regression', rows: 450 });
  const bills = new Map<unknown, Set<unknown>>();
  for (const { person, bill } of made.rows.all()) bills.set(person, (bills.get(person) ?? new Set()).add(bill));
  expect([...bills.values()].map(({ size }) => size)).toEqual(Array.from({ length: 50 }, () => 1));
});
