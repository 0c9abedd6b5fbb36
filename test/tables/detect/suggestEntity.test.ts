import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { profileUpload } from '../../../packages/tables/profile/profileUpload.ts';
import { bytesOf } from '../../support/bytes.ts';
import { ledger } from '../../synthesis/methods/entities/ledger.ts';

type Row = Record<string, string | number>;

const suggestionFor = async (rows: readonly Row[]) => {
  const lines = rows.map((row) => Object.values(row).join(','));
  const file = `${Object.keys(rows[0]!).join(',')}\n${lines.join('\n')}\n`;
  return (await profileUpload(bytesOf(file), 'rows.csv')).suggested_entity;
};

const byDate = (rows: ReturnType<typeof ledger>): Row[] =>
  rows.map((row) => ({ ...row })).sort((a, b) => a.date.localeCompare(b.date));

describe('the suggested entity', () => {
  it('is the key whose rows belong together, in the order of the date that rises within it', async () => {
    expect(await suggestionFor(byDate(ledger(120, 8)))).toEqual({
      column: 'account',
      reason: '120 keys in 960 rows: rows of one "account" belong together',
      order: { column: 'date', reason: expect.stringMatching(/^it rises .* same "account" in 100 % of pairs$/) },
    });
  });

  it('has no order where none rises: the rows of the ledger are mixed', async () => {
    expect(await suggestionFor(ledger(120, 8).map((row) => ({ ...row })))).toMatchObject({
      column: 'account',
      order: null,
    });
  });

  it('is null where keys hardly repeat, are few, or there is none', async () => {
    const random = createStream(1, 'entities');
    const rows = ledger(300, 1).map((row) => ({ ...row }));
    expect(await suggestionFor([...rows, ...rows.slice(0, 30)])).toBeNull();
    expect(await suggestionFor(byDate(ledger(30, 20)))).toBeNull();
    const numbers = Array.from({ length: 300 }, () => ({ x: random.normal(), level: random.integer(5) }));
    expect(await suggestionFor(numbers)).toBeNull();
  });
});
