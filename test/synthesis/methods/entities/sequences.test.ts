import { beforeAll, describe, expect, it } from 'vitest';
import type { TableRequestBody } from '../../../../packages/contract/requests.ts';
import { type SyntheticTable, synthesize } from '../../../../packages/synthesis/index.ts';
import { byAccount, faultsOf, LEDGER_ROLES, ledger } from './ledger.ts';

const REAL = ledger(104, 8);

const make = (request: Partial<TableRequestBody> = {}, rows: object[] = REAL, seed = 1): Promise<SyntheticTable> =>
  synthesize(rows as never, { ...LEDGER_ROLES, n_entities: 60, ...request }, { seed });

describe('a table whose rows belong together', () => {
  let made: SyntheticTable;
  beforeAll(async () => {
    made = await make();
  });

  it('keeps what holds in every real account, in every synthetic one: balance, order, status, numbers, weekdays', () => {
    const accounts = byAccount(made.rows.all());
    expect(accounts).toHaveLength(60);
    expect(accounts.flatMap(faultsOf)).toEqual([]);
    expect(made.metrics.notes.join('\n')).toContain('"balance" is the last one plus "credit" minus "debit"');
  });

  it('has each entity in as many rows as real ones have, under a new key, one under the other', () => {
    const rows = made.rows.all();
    const accounts = byAccount(rows);
    expect(new Set(accounts.map((own) => own.length))).toEqual(new Set([8]));
    const real = new Set(REAL.map(({ account }) => account));
    expect(rows.some(({ account }) => real.has(String(account)))).toBe(false);
    const changes = rows.filter((row, i) => i > 0 && row.account !== rows[i - 1]!.account).length;
    expect(changes).toBe(59);
  });

  it('is judged by its entities: coherence, lengths, and attacks that know all rows of one', () => {
    const { fidelity, privacy, notes } = made.metrics;
    expect(fidelity?.coherence).toMatchObject({ ideal: 1, value: expect.any(Number), holdout: expect.any(Number) });
    expect(fidelity?.sequence_lengths).toMatchObject({ ideal: 0, value: 0, verdict: 'as good' });
    expect(privacy?.sequence_copies).toMatchObject({ value: 0, rows: 60, verdict: 'as good' });
    expect(privacy?.exact_copies.rows).toBe(60);
    expect(notes.join('\n')).toContain('Privacy is that of entities');
  });

  it('is the same for the same seed, and another one for another', async () => {
    const of = (seed: number) => make({ n_entities: 10 }, REAL.slice(0, 500), seed).then((one) => one.csvText());
    const [first, again, other] = [await of(1), await of(1), await of(2)];
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it('gives more entities from its saved model, in which the same holds', async () => {
    const more = await made.model.sample(100, { seed: 3 });
    const accounts = byAccount(more.rows.all());
    // Whole accounts of 8 rows, until the next would pass 100 rows.
    expect(accounts).toHaveLength(12);
    expect(accounts.flatMap(faultsOf)).toEqual([]);
    expect(byAccount((await made.model.sample({ entities: 7 }, { seed: 3 })).rows.all())).toHaveLength(7);
  });

  it('has as many entities that meet a condition on a constant column as it asks for', async () => {
    const some = await make({ n_entities: 20, conditions: [{ column: 'city', equals: 'Bodø', rows: 15 }] });
    const cities = byAccount(some.rows.all()).map(([first]) => first!.city);
    expect(cities.filter((city) => city === 'Bodø').length).toBeGreaterThanOrEqual(15);
    expect(cities).toHaveLength(20);
    // The share of the first table in more from its model: three quarters.
    const more = byAccount((await some.model.sample({ entities: 8 }, { seed: 2 })).rows.all());
    expect(more.filter(([first]) => first!.city === 'Bodø').length).toBeGreaterThanOrEqual(6);
    expect(more).toHaveLength(8);
    await expect(make({ conditions: [{ column: 'status', equals: 'paid' }] })).rejects.toMatchObject({
      code: 'invalid_data',
      params: { reason: 'condition_within_entities', column: 'status' },
    });
  });

  it('is refused under conditions that no entity meets, each or together', async () => {
    const rows = REAL.map((row) => ({ ...row, plan: row.city === 'Oslo' ? 'free' : 'paid' }));
    const roles = { categorical_cols: [...LEDGER_ROLES.categorical_cols, 'plan'] };
    await expect(make({ ...roles, conditions: [{ column: 'city', equals: 'Paris' }] }, rows)).rejects.toMatchObject({
      params: { reason: 'condition_level_unknown', column: 'city', level: 'Paris' },
    });
    const both = [
      { column: 'city', equals: 'Oslo' },
      { column: 'plan', equals: 'paid' },
    ];
    await expect(make({ ...roles, conditions: both }, rows)).rejects.toMatchObject({
      code: 'invalid_data',
      params: { reason: 'conditions_met_by_too_few', rows: 104 },
    });
  });
});

describe('rows that cannot belong together', () => {
  it('of one entity with too many rows are refused', async () => {
    const long = Array.from({ length: 50_000 }, (_, i) => ({ account: 'AC-1', x: i % 7 }));
    const rows = [...long, ...Array.from({ length: 60 }, (_, i) => ({ account: `AC-${i + 2}`, x: i % 7 }))];
    const asked = { entity_col: 'account', target: 'none' as const, continuous_cols: ['x'] };
    await expect(synthesize(rows, asked, { seed: 1 })).rejects.toMatchObject({
      code: 'invalid_data',
      params: { reason: 'entity_too_long', rows: 50_000, max: 10_000 },
    });
  });

  it('are an ordinary table where each entity has one row, and the metrics say so', async () => {
    const rows = Array.from({ length: 80 }, (_, i) => ({ account: `AC-${i}`, x: (i * 7) % 11, c: i % 3 ? 'a' : 'b' }));
    const asked = { entity_col: 'account', target: 'none' as const, continuous_cols: ['x'], categorical_cols: ['c'] };
    const made = await synthesize(rows, { ...asked, n_entities: 50 }, { seed: 1 });
    expect(made.rows.all()).toHaveLength(50);
    expect(new Set(made.rows.all().map(({ account }) => account)).size).toBe(50);
    expect(made.metrics.notes.join('\n')).toContain('Each value of "account" has one row');
  });

  it('are refused where all are of one entity, or of fewer than 50 that are not allowed', async () => {
    const of = (count: number) => Array.from({ length: 80 }, (_, i) => ({ k: `K${i % count}`, x: i % 5 }));
    const asked = { entity_col: 'k', target: 'none' as const, continuous_cols: ['x'] };
    await expect(synthesize(of(1), asked)).rejects.toMatchObject({ params: { reason: 'entity_alone', column: 'k' } });
    const few = { reason: 'too_few_entities', entities: 2, min: 50 };
    await expect(synthesize(of(2), asked)).rejects.toMatchObject({ params: few });
    const made = await synthesize(of(2), { ...asked, allow_few_rows: true, n_entities: 3 }, { seed: 1 });
    expect(new Set(made.rows.all().map(({ k }) => k)).size).toBe(3);
  });

  it('are left out where they have no key or no place in the order, with a note; and refused where most are', async () => {
    const holes = REAL.map((row, i) => ({
      ...row,
      account: i % 40 === 0 ? '' : row.account,
      date: i % 50 === 1 ? '' : row.date,
    }));
    const made = await make({ n_entities: 10 }, holes);
    expect(made.metrics.notes.join('\n')).toMatch(/\d+ rows without a cell in "account" or "date" were left out\./);
    expect(made.rows.all().every(({ account, date }) => account !== null && date !== null)).toBe(true);
    const none = REAL.map((row, i) => ({ ...row, account: i % 3 === 0 ? row.account : '' }));
    await expect(make({}, none)).rejects.toMatchObject({
      params: { reason: 'entities_without_rows', column: 'account', order: 'date', rows: REAL.length },
    });
  });

  it('stand in the order of the file where the order has ties', async () => {
    const tied = Array.from({ length: 60 }, (_, k) =>
      Array.from({ length: 6 }, (_, i) => ({ k: `K${k}`, day: i >> 1, step: i })),
    ).flat();
    const asked = { entity_col: 'k', order_col: 'day', target: 'none' as const, continuous_cols: ['step'] };
    const made = await synthesize(tied, { ...asked, n_entities: 30 }, { seed: 1 });
    for (const own of byAccount(made.rows.all().map((row) => ({ ...row, account: row.k })))) {
      const steps = own.map(({ step }) => Number(step));
      expect([...steps].sort((a, b) => a - b)).toEqual(steps);
    }
  });
});

describe('a request that names the key alone', () => {
  const rows = Array.from({ length: 60 }, (_, k) =>
    Array.from({ length: 4 }, (__, i) => ({ customer: 3000 + 7 * k, visit: i, amount: (k * 13 + i * 5) % 31 })),
  ).flat();

  it('gives the other columns the suggested roles, though the key is a number like any other', async () => {
    const made = await synthesize(rows, { entity_col: 'customer', target: 'none', n_entities: 5 }, { seed: 1 });
    expect(made.request.continuous_cols).not.toContain('customer');
    expect(byAccount(made.rows.all().map((row) => ({ ...row, account: row.customer })))).toHaveLength(5);
  });

  it('has no entities to draw from the model of an ordinary table', async () => {
    const made = await synthesize(rows, { continuous_cols: ['visit', 'amount'], n_samples: 9 }, { seed: 1 });
    await expect(made.model.sample({ entities: 5 })).rejects.toMatchObject({ code: 'invalid_parameter' });
  });
});
