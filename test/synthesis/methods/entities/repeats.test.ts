import { describe, expect, it } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { synthesize } from '../../../../packages/synthesis/index.ts';
import { checksOf } from '../../../../packages/synthesis/methods/entities/stepChecks.ts';
import { byAccount } from './ledger.ts';

const ENTITIES = 300;
const ROWS = 10;

/** Shifts of persons in places: nobody is twice in one place on one day, but for two persons of 300. */
function shifts() {
  const random = createStream(3, 'shifts');
  return Array.from({ length: ENTITIES }, (_, person) => {
    const open = Array.from({ length: 24 }, (__, at) => at);
    return Array.from({ length: ROWS }, () => {
      const [own] = open.splice(random.integer(open.length), 1);
      return { account: `P${person}`, day: own! % 6, place: `p${own! >> 2}` };
    }).map((row, at, all) => (person < 2 && at === 9 ? { ...all[8]! } : row));
  }).flat();
}

const repeatsIn = (rows: readonly Record<string, unknown>[]): number =>
  byAccount(rows.map((row) => ({ account: row.account, cells: `${row.day} ${row.place}` })))
    .map((own) => own.length - new Set(own.map(({ cells }) => cells)).size)
    .reduce((sum, one) => sum + one, 0);

describe('rows of an entity that hardly ever have the same cells', () => {
  const table = shifts();

  it('repeat as often as in the data', async () => {
    expect(repeatsIn(table)).toBe(2);
    const roles = { entity_col: 'account', target: 'none' as const, categorical_cols: ['day', 'place'] };
    const made = await synthesize(table, { ...roles, n_entities: ENTITIES }, { seed: 1 });
    expect(made.metrics.notes.join('\n')).toMatch(
      /0\.067 % of the rows have the same "day" and "place" as an earlier one/,
    );
    // 2 are to be expected, 9 are seen by chance once in 4,000 times; drawn freely, some 400 of 3,000 rows would be repeats.
    expect(repeatsIn(made.rows.all())).toBeLessThan(9);
  });

  it('are redrawn at each step, but for the share that may stand', () => {
    const within = [{ kind: 'distinct' as const, columns: ['a'], repeats: 0.05 }];
    const [check] = checksOf(within, createStream(1, 'repeats'));
    const entities = Int32Array.from({ length: 4000 }, (_, entity) => entity);
    const made = new Map([['a', { kind: 'numeric' as const, name: 'a', values: new Float64Array(4000).fill(7) }]]);
    check!.accept(entities, made);
    const marked = (): number => {
      const kept = new Uint8Array(4000).fill(1);
      check!.mark(entities, made, kept);
      return kept.reduce((sum, one) => sum + one, 0);
    };
    const first = marked();
    // 200 of 4,000 repeats; six standard deviations.
    expect(Math.abs(first - 200)).toBeLessThan(84);
    // Another draw of the same step excuses no others.
    expect(marked()).toBe(first);
  });
});
