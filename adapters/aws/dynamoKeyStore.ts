/**
 * Keys in DynamoDB, kept as hashes only. One item a key, and one that lists them all: it is written in the same
 * transaction, so that a list is complete without a scan of the jobs.
 */
import { z } from 'zod';
import type { Clock, KeyRecord, KeyStore } from '../../service/ports.ts';
import { isSecretOf, makeKey, readKey } from '../shared/keys.ts';
import { ITEMS, RECORDS } from './names.ts';
import { type Item, type RecordTable, setOf, text } from './recordTable.ts';

const keySchema = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.string(),
  revokedAt: z.string().nullable(),
});

const itemKey = (keyId: string): string => `${ITEMS.keyPrefix}${keyId}`;

export class DynamoKeyStore implements KeyStore {
  readonly #table: RecordTable;
  readonly #clock: Clock;

  constructor(table: RecordTable, clock: Clock) {
    this.#table = table;
    this.#clock = clock;
  }

  async create(name: string): Promise<{ key: string; record: KeyRecord }> {
    const { id, key, secretHash } = makeKey();
    const createdAt = this.#clock.now().toISOString();
    const made = await this.#table.transact([
      this.#table.putNewOf(itemKey(id), {
        name: text(name),
        createdAt: text(createdAt),
        secretHash: { B: secretHash },
      }),
      this.#table.updateOf(ITEMS.keys, { update: 'ADD #ids :id', values: { ':id': setOf(id) } }),
    ]);
    if (!made) throw new Error('two keys were given one id');
    return { key, record: { id, name, createdAt, revokedAt: null } };
  }

  async verify(key: string): Promise<KeyRecord | undefined> {
    const { id, secret } = readKey(key);
    const item = await this.#table.get(itemKey(id));
    if (!isSecretOf(secret, item?.secretHash?.B) || item === undefined) return undefined;
    const record = recordOf(item);
    return record.revokedAt === null ? record : undefined;
  }

  async list(): Promise<KeyRecord[]> {
    const ids = (await this.#table.get(ITEMS.keys))?.ids?.SS ?? [];
    const items = await this.#table.getAll(ids.map(itemKey));
    const order = ({ createdAt, id }: KeyRecord) => `${createdAt} ${id}`;
    return items.map(recordOf).sort((a, b) => (order(a) < order(b) ? -1 : 1));
  }

  /** Condition: there is such a key, and it is not revoked. */
  async revoke(keyId: string): Promise<boolean> {
    const at = this.#clock.now().toISOString();
    const { held } = await this.#table.update(itemKey(keyId), {
      update: 'SET #revokedAt = :at',
      condition: 'attribute_exists(#secretHash) AND attribute_not_exists(#revokedAt)',
      values: { ':at': text(at) },
    });
    return held;
  }
}

const recordOf = (item: Item): KeyRecord =>
  keySchema.parse({
    id: item[RECORDS.partitionKey]?.S?.slice(ITEMS.keyPrefix.length),
    name: item.name?.S,
    createdAt: item.createdAt?.S,
    revokedAt: item.revokedAt?.S ?? null,
  });
