import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Role } from '../../../packages/contract/columns.ts';
import { profileUpload } from '../../../packages/tables/profile/profileUpload.ts';
import { bytesOf } from '../../support/bytes.ts';
import { describeShared } from '../../support/shared.ts';

const rolesSchema = z.record(
  z.string(),
  z.object({
    target: z.string().nullable(),
    continuous: z.array(z.string()),
    categorical: z.array(z.string()),
    text: z.array(z.string()),
  }),
);

/** A target is a number: which of the numbers it is, only the client knows. */
const asNumber = (role: Role | undefined) => (role === 'target' ? 'continuous' : role);

describeShared('suggested roles and roles.json', (dir) => {
  const tables = rolesSchema.parse(JSON.parse(readFileSync(join(dir, 'data', 'roles.json'), 'utf8')));

  it('agree on at least 95 % of the columns that are named there, and no column named there is a key', async () => {
    const agreed: string[] = [];
    const disagreed: string[] = [];
    const keys: string[] = [];
    for (const [table, roles] of Object.entries(tables)) {
      const bytes = readFileSync(join(dir, 'data', `${table}.csv`));
      const { columns } = await profileUpload(bytesOf(bytes, 65_536), `${table}.csv`);
      keys.push(...columns.flatMap(({ name, key }) => (key ? [`${table}.${name}: ${key.kind}`] : [])));
      const suggested = new Map(columns.map((column) => [column.name, column.suggested_role]));
      const wanted: [string, Role][] = [
        ...roles.continuous.map((name): [string, Role] => [name, 'continuous']),
        ...roles.categorical.map((name): [string, Role] => [name, 'categorical']),
        ...roles.text.map((name): [string, Role] => [name, 'text']),
        ...(roles.target === null ? [] : [[roles.target, 'continuous'] satisfies [string, Role]]),
      ];
      for (const [name, role] of wanted) {
        (asNumber(suggested.get(name)) === role ? agreed : disagreed).push(`${table}.${name}`);
      }
    }
    // 0 and 1 are two categories as much as a number: as a target, only a client can say which.
    expect(disagreed).toEqual(['titanic.Survived']);
    expect(keys.sort()).toEqual([
      'airline_tweets.tweet_id: repeated',
      'k401k.rownames: unique',
      'nmes1988.rownames: unique',
      'ohlsson_motorcycle.rownames: unique',
      'oslo_airbnb.host_id: repeated',
      'oslo_airbnb.id: unique',
      'titanic.Cabin: repeated',
      'titanic.PassengerId: unique',
      'titanic.Ticket: repeated',
    ]);
    expect(agreed.length / (agreed.length + disagreed.length)).toBeGreaterThan(0.95);
  });
});
