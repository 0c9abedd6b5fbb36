import { describe, expect, it } from 'vitest';
import { tableRequestSchema } from '../../../../packages/contract/requests.ts';
import { createCurator } from '../../../../packages/numerics/privacy/curator.ts';
import { makeTable } from '../../../../packages/synthesis/make.ts';
import type { OpenCurator } from '../../../../packages/synthesis/methods/private/privateMethod.ts';
import type { Progress } from '../../../../packages/synthesis/progress.ts';
import { isPrivate, withDomainRoles } from '../../../../packages/synthesis/request/checkPrivacy.ts';
import { writeTable } from '../../../../packages/synthesis/write.ts';
import { profileUpload } from '../../../../packages/tables/profile/profileUpload.ts';
import { readTable } from '../../../../packages/tables/readTable.ts';
import { shareable } from '../../../../packages/words/shareable.ts';
import { bytesOf } from '../../../support/bytes.ts';
import { type Question, recording, replaying } from '../../../support/privacyAudit.ts';
import { bytesFrom } from '../../../support/samplers.ts';

const ROWS = Array.from({ length: 240 }, (_, row) => `${20 + ((row * 7) % 50)},${row % 3 === 0 ? 'a' : 'b'},n${row}`);
/** Beyond the domain in every cell, and longer than all others. */
const ODD = '1e9,a level that the domain does not have,someone whom no other row resembles';
const domain = { age: { min: 18, max: 80 }, group: { levels: ['a', 'b'] } };
const request = withDomainRoles(
  tableRequestSchema.parse({ privacy: { epsilon: 4, delta: 1e-5 }, domain, n_samples: 100 }),
);
const progress: Progress = { onProgress: async () => {}, yieldToEventLoop: async () => {} };

/** All that leaves the owner's hands, of a file with these rows. */
async function released(rows: readonly string[], openCurator: OpenCurator) {
  if (!isPrivate(request)) throw new Error('the request asks for no privacy');
  const file = ['age,group,name', ...rows].join('\n');
  const profile = await profileUpload(bytesOf(file), 'people.csv');
  const load = async () => ({ profile, cells: await readTable(bytesOf(file), profile.dialect) });
  const made = await makeTable({ load, request, seed: 1, progress, openCurator });
  const table: Uint8Array[] = [];
  for await (const piece of writeTable(made, progress.yieldToEventLoop)) table.push(piece);
  return { table: Buffer.concat(table).toString(), saved: made.saved, metrics: shareable(made.metrics) };
}

describe('a private job', () => {
  it.each([
    ['a row less', ROWS.slice(1)],
    ['an odd row more', [...ROWS, ODD]],
    ['an odd row in front', [ODD, ...ROWS]],
    ['all rows others, and 40 less', Array.from({ length: 200 }, (_, row) => `${80 - (row % 9)},a,m`)],
  ])('releases the same bytes of a file with %s, where the curator answers alike', async (_, others) => {
    const [first, second]: [Question[], Question[]] = [[], []];
    const one = await released(ROWS, (budget) => recording(createCurator(budget, bytesFrom(1, 'job')), first));
    expect(await released(others, () => replaying(first, second))).toEqual(one);
    expect(second).toHaveLength(first.length);
  });
});
