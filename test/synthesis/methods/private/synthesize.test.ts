import { describe, expect, it } from 'vitest';
import type { TableRequestBody } from '../../../../packages/contract/requests.ts';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { restoreModel, synthesize } from '../../../../packages/synthesis/index.ts';
import { shareable } from '../../../../packages/words/shareable.ts';

function rowsOf(count: number) {
  const random = createStream(2, 'rows');
  return Array.from({ length: count }, () => {
    const age = 20 + random.integer(60);
    return {
      age,
      score: ((age + random.integer(40)) / 10).toFixed(1),
      sex: random.uniform() < 0.3 ? 'F' : 'M',
      name: `n${random.integer(1e6)}`,
    };
  });
}

const TABLE = rowsOf(300);
const domain = {
  age: { min: 18, max: 90 },
  score: { min: 0, max: 15, decimals: 1 },
  sex: { levels: ['F', 'M', 'X'] },
};
const REQUEST: TableRequestBody = { privacy: { epsilon: 2, delta: 1e-5 }, domain, n_samples: 200 };

describe('synthesize with privacy', () => {
  it('makes rows of the domain alone, and says what it keeps to', async () => {
    const made = await synthesize(TABLE, REQUEST, { seed: 7 });
    const rows = made.rows.all();
    expect(made.columns).toEqual(['age', 'score', 'sex']);
    for (const { age, score, sex } of rows) {
      if (age !== null) expect(Number(age)).toBeGreaterThanOrEqual(18);
      if (score !== null) expect(String(score)).toMatch(/^\d+(\.\d)?$/);
      expect(['F', 'M', 'X', null]).toContain(sex);
    }
    const { formal_privacy: kept, verdicts } = made.metrics;
    expect(kept).toMatchObject({ unit: 'row', epsilon: 2, delta: 1e-5, columns_measured: 3, figures_for_owner: true });
    expect(kept!.spent).toBeLessThanOrEqual(kept!.rho * (1 + 1e-10));
    expect(verdicts!.find(({ area }) => area === 'privacy')?.headline).toContain('ε 2, δ 0.00001');
    expect(kept!.expected_total_variation.pairs).toBeGreaterThan(kept!.expected_total_variation.columns);
  });

  it('draws noise that no seed brings back, and more rows from the same measurements', async () => {
    const first = await synthesize(TABLE, REQUEST, { seed: 7 });
    const second = await synthesize(TABLE, REQUEST, { seed: 7 });
    expect(second.metrics.formal_privacy!.measurements_sha256).not.toBe(
      first.metrics.formal_privacy!.measurements_sha256,
    );
    const more = await first.model.sample(50, { seed: 3 });
    const restored = await restoreModel(first.model.save(), TABLE);
    const again = await restored.sample(50, { seed: 3 });
    expect(more.rows.all()).toEqual(again.rows.all());
    const { measurements_sha256, spent } = more.metrics.formal_privacy!;
    expect(measurements_sha256).toBe(first.metrics.formal_privacy!.measurements_sha256);
    expect(spent).toBe(0);
  });

  it('leaves no figure of real rows in what a receipt shows', async () => {
    const { metrics } = await synthesize(TABLE, REQUEST, { seed: 7 });
    const shared = shareable(metrics);
    const { formal_privacy, verdicts, rows_generated, columns, seed, version, ...rest } = shared;
    expect(formal_privacy).toEqual(metrics.formal_privacy);
    expect(rows_generated).toBe(200);
    const numbers = JSON.stringify({ ...rest, verdicts: verdicts!.map(({ sentences }) => sentences) }).match(
      /\d+\.\d+/g,
    );
    expect(numbers).toBeNull();
    expect(verdicts!.map(({ area }) => area)).toEqual(['privacy']);
  });

  it('has a report for sharing beside that for the owner, which no other table has', async () => {
    const made = await synthesize(TABLE, REQUEST, { seed: 7 });
    const shared = await made.reportForSharing();
    expect(shared?.data.metrics).toEqual(shareable(made.metrics));
    expect(shared?.html).toContain('This report may be handed on.');
    expect(shared?.html).not.toMatch(/300 rows|id="review"/);
    expect((await made.report())?.html).toContain('For the owner of the file alone.');
    const open = await synthesize(TABLE, { target: 'none', categorical_cols: ['sex'] }, { seed: 7 });
    expect(await open.reportForSharing()).toBeNull();
    expect((await open.report())?.html).not.toContain('For the owner');
  });

  it('takes levels outside of the domain as missing, and tells the owner alone', async () => {
    const narrow = { ...domain, sex: { levels: ['M'] } };
    const { metrics, rows } = await synthesize(TABLE, { ...REQUEST, domain: narrow }, { seed: 1 });
    expect(rows.all().some(({ sex }) => sex === 'F')).toBe(false);
    expect(metrics.notes[0]).toMatch(/^\d+ cells of column "sex" lie outside its domain/);
    expect(shareable(metrics).notes).toEqual([]);
  });
});

describe('a private table is refused', () => {
  const privacy = { epsilon: 1 };
  const text = { privacy, domain, continuous_cols: ['age', 'score'], categorical_cols: ['sex'] };
  const many = Array.from({ length: 1_000_000 }, (_, level) => `l${level}`);
  it.each<[string, TableRequestBody, string]>([
    ['with an ε of 0', { privacy: { epsilon: 0 }, domain }, 'must be a number from 0.001 to 50'],
    ['with an ε below 0', { privacy: { epsilon: -1 }, domain }, 'must be a number from 0.001 to 50'],
    [
      'with an ε whose noise outgrows doubles',
      { privacy: { epsilon: 1e-9 }, domain },
      'must be a number from 0.001 to 50',
    ],
    ['with an ε of 10⁹', { privacy: { epsilon: 1e9 }, domain }, 'must be a number from 0.001 to 50'],
    [
      'with a δ of 1',
      { privacy: { epsilon: 1, delta: 1 }, domain },
      'must be a number from 1e-12 to below 1, such as 0.000001',
    ],
    ['with a δ above 1 / rows', { privacy: { epsilon: 1, delta: 0.01 }, domain }, 'above 1 / rows, which is 0.0033'],
    ['without a domain', { privacy, continuous_cols: ['age'] }, 'Give domain with an entry for each column'],
    ['with a domain and without privacy', { domain }, 'Give privacy, too'],
    [
      'with a column that has no domain',
      { privacy, domain, continuous_cols: ['age'], categorical_cols: ['sex', 'name'] },
      'column "name" is missing here',
    ],
    [
      'with a domain of a column without a role',
      { privacy, domain, continuous_cols: ['age', 'score'] },
      'gives column "sex" no role',
    ],
    [
      'with levels for a number',
      { ...text, continuous_cols: ['age', 'score', 'sex'], categorical_cols: [] },
      'Or put it in categorical_cols',
    ],
    [
      'with a column of a million levels',
      { privacy, domain: { sex: { levels: many } } },
      'must be a list of 1 to 1000 different texts',
    ],
    ['with a range upside down', { privacy, domain: { age: { min: 9, max: 1 } } }, 'min that is not above max'],
    [
      'with more numbers than can be counted',
      { privacy, domain: { age: { min: 0, max: 1e9, decimals: 3 } } },
      'fewer decimals or a smaller range',
    ],
    ['with text columns', { ...text, text_cols: ['name'] }, 'is text, which cannot be made privately'],
    [
      'with conditions',
      { ...text, conditions: [{ column: 'sex', equals: 'F' }] },
      'would read the real rows beyond the budget',
    ],
    ['with a release policy', { ...text, policy: { exact_copies: 0 } }, 'would read the real rows beyond the budget'],
    ['with a target that the file is to suggest', { ...text, target: 'auto' }, 'choosing a target reads the real rows'],
  ])('%s', async (_, request, message) => {
    const fullDomain = request.text_cols ? { ...domain, name: { levels: ['n1'] } } : request.domain;
    await expect(synthesize(TABLE, { ...request, ...(fullDomain && { domain: fullDomain }) })).rejects.toThrow(message);
  });

  it('with fewer rows than can hide one', async () => {
    await expect(synthesize(TABLE.slice(0, 199), REQUEST)).rejects.toThrow('noise that hides one row hides everything');
  });
});
