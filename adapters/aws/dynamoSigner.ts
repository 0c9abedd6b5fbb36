/** The signing key in the record table: an item of its own, which only the roles that sign may read; made when it is first needed. */
import type { KeyObject } from 'node:crypto';
import { ITEMS } from '../../domain/job/recordNames.ts';
import type { Signer } from '../../domain/ports.ts';
import { createSigner, keyOfSeed, makeSeed } from '../shared/signingKey.ts';
import type { RecordTable } from './recordTable.ts';

export const dynamoSigner = (table: RecordTable): Signer => createSigner(() => openKey(table));

/** Condition of the write: there is none. Of several processes at once, all take the key of the first. */
async function openKey(table: RecordTable): Promise<KeyObject> {
  const found = await readSeed(table);
  if (found) return keyOfSeed(found);
  await table.transact([table.putNewOf(ITEMS.signing, { seed: { B: makeSeed() } })]);
  const made = await readSeed(table);
  if (!made) throw new Error('the signing key was written and is not there');
  return keyOfSeed(made);
}

const readSeed = async (table: RecordTable): Promise<Uint8Array | undefined> =>
  (await table.get(ITEMS.signing))?.seed?.B;
