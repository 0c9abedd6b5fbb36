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

  it('agree on at least 95 % of the columns that are named there', async () => {
    const agreed: string[] = [];
    const disagreed: string[] = [];
    for (const [table, roles] of Object.entries(tables)) {
      const bytes = readFileSync(join(dir, 'data', `${table}.csv`));
      const { columns } = await profileUpload(bytesOf(bytes, 65_536), `${table}.csv`);
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
    expect(agreed.length / (agreed.length + disagreed.length)).toBeGreaterThan(0.95);
  });
});
