import { beforeAll, describe, expect, it } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { type SyntheticTable, synthesize } from '../../../../packages/synthesis/index.ts';
import { byAccount } from './ledger.ts';

const ENTITIES = 150;
const MADE = 60;
const ROWS = 6;
const PARTS = ['hip', 'knee', 'wrist', 'back', 'shoulder', 'ankle', 'elbow', 'neck'] as const;
const FINDINGS = ['is better', 'hurts at night', 'is swollen', 'can be bent', 'is stiff in the morning'] as const;
const COMMON = 'Did not come.';

/** Short notes of visits; some of one person in five rows, as many as make a text common where rows are counted; and a text a person. */
function visits() {
  const random = createStream(1, 'visits');
  const one = <T>(of: readonly T[]): T => of[random.integer(of.length)]!;
  return Array.from({ length: ENTITIES }, (_, person) => {
    const [part, other] = [one(PARTS), one(PARTS)];
    const code = (): number => 10_000 + random.integer(90_000);
    const [history, refused] = [`Sent by ward ${code()} for the ${one(PARTS)}.`, `Refuses tablet ${code()}.`];
    return Array.from({ length: ROWS }, (__, visit) => {
      const days = 1 + random.integer(60);
      const note = `The ${one([part, other])} ${one(FINDINGS)}, see picture ${code()}.`;
      const said = random.uniform() < 0.1 ? COMMON : person < 30 ? refused : note;
      return { account: `P${person}`, visit, days, part, history, note: said };
    });
  }).flat();
}

const ROLES = {
  entity_col: 'account',
  order_col: 'visit',
  target: 'none' as const,
  continuous_cols: ['visit', 'days'],
  categorical_cols: ['part'],
  text_cols: ['history', 'note'],
};

describe('texts of rows that belong together', () => {
  const real = visits();
  let made: SyntheticTable;
  let people: Record<string, unknown>[][];
  beforeAll(async () => {
    const asked = { ...ROLES, n_entities: MADE, text_epochs: 1 };
    made = await synthesize(real, asked, { seed: 1 });
    people = byAccount(made.rows.all());
  }, 300_000);

  it('are written in every row, of its own; a text that is constant in the file is constant in each entity', () => {
    expect(people).toHaveLength(MADE);
    const rows = people.flat();
    expect(rows).toHaveLength(MADE * ROWS);
    expect(rows.filter(({ note, history }) => note === null || history === null)).toEqual([]);
    for (const own of people) expect(new Set(own.map(({ history }) => history)).size).toBe(1);
    expect(people.filter((own) => new Set(own.map(({ note }) => note)).size > 1).length).toBeGreaterThan(0.8 * MADE);
    expect(new Set(people.map(([first]) => first!.history)).size).toBeGreaterThan(0.8 * MADE);
  });

  it('are none of a real person, however many rows of one have it; what many persons have may come out', () => {
    const owners = new Map<string, Set<string>>();
    for (const { account, note, history } of real)
      for (const text of [note, history]) owners.set(text, (owners.get(text) ?? new Set()).add(account));
    const copied = people.flat().flatMap(({ note, history }) => [String(note), String(history)]);
    const known = copied.filter((text) => owners.has(text));
    expect(known.filter((text) => owners.get(text)!.size < 5)).toEqual([]);
    expect(known).toContain(COMMON);
    expect(made.metrics.privacy?.text_memorisation).toMatchObject({ value: 0 });
  });

  it('go with a target and with entities of which so many meet a condition, and with more from that model', async () => {
    const some = { conditions: [{ column: 'part', equals: 'hip', rows: 15 }], n_entities: 20, draws: 100, tune: 100 };
    const asked = { ...ROLES, ...some, continuous_cols: ['visit'], target_col: 'days', target: null, text_epochs: 1 };
    const under = await synthesize(real, { ...asked, text_cols: ['note'] }, { seed: 1 });
    const tables = [under, await under.model.sample({ entities: 20 }, { seed: 2 })];
    for (const { rows, metrics } of tables) {
      const own = byAccount(rows.all());
      expect(own.filter(([first]) => first!.part === 'hip').length).toBeGreaterThanOrEqual(15);
      expect(own.flat().every(({ note, days }) => note !== null && Number(days) >= 1)).toBe(true);
      expect(metrics.regression).toMatchObject({ target: 'days', drawn_by: 'sequence' });
    }
  }, 120_000);

  it('are measured, and shown in the report', async () => {
    expect(made.metrics.text?.columns.map(({ column }) => column)).toEqual(['history', 'note']);
    expect((await made.report())?.data.text_samples?.map(({ texts }) => texts.length)).toEqual([5, 5]);
  });
});
