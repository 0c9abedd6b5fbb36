import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ServiceError } from '../../packages/contract/errors.ts';
import { ENV } from '../../service/job/environment.ts';
import { JOBS_PREFIX } from '../../service/job/objectKeys.ts';
import {
  type CallbackStore,
  type Clock,
  type ClockMarks,
  type IdempotencyStore,
  KEY_RIGHTS,
  type KeyRecord,
  type KeyRight,
  type KeyStore,
  type Signer,
} from '../../service/ports.ts';
import { isSecretOf, makeKey, packRights, readKey, unpackRights } from '../shared/keys.ts';
import { DATABASE_FILE, type Database, openDatabase } from './database.ts';
import { FileObjectStore } from './fileObjectStore.ts';
import { fileSigner, fileVault } from './keyFiles.ts';
import { thisProcess } from './leases.ts';
import { SqliteCallbackStore } from './sqliteCallbackStore.ts';
import { SqliteIdempotencyStore } from './sqliteIdempotencyStore.ts';
import { SqliteJobStore } from './sqliteJobStore.ts';
import { guarded } from './storageErrors.ts';

export interface LocalStores {
  jobs: SqliteJobStore;
  objects: FileObjectStore;
  keys: KeyStore;
  idempotency: IdempotencyStore;
  callbacks: CallbackStore;
  signer: Signer;
  clock: Clock;
  clockMarks: ClockMarks;
  /** Does not wait for the disk: for data soon rewritten. */
  relaxed: Database;
  close(): void;
}

/** Throws if a newer version wrote the folder, or if it has objects but no database (unless `withoutRecords`). */
export function openStores(dataDir: string, { withoutRecords = false } = {}): LocalStores {
  if (!withoutRecords) refuseWithoutRecords(dataDir);
  const database = openDatabase(dataDir);
  const relaxed = openDatabase(dataDir, { durable: false });
  const clock: Clock = { now: () => new Date() };
  return {
    jobs: new SqliteJobStore(database, thisProcess, relaxed),
    objects: new FileObjectStore(dataDir),
    keys: new SqliteKeyStore(database, clock),
    idempotency: new SqliteIdempotencyStore(database),
    callbacks: new SqliteCallbackStore(database, fileVault(dataDir)),
    signer: fileSigner(dataDir),
    clock,
    clockMarks: sqliteClockMarks(database),
    relaxed,
    close() {
      relaxed.close();
      database.close();
    },
  };
}

/** Never replaces a lost database by an empty one. */
function refuseWithoutRecords(dataDir: string): void {
  if (existsSync(join(dataDir, DATABASE_FILE)) || !existsSync(join(dataDir, 'objects', JOBS_PREFIX))) return;
  if (readdirSync(join(dataDir, 'objects', JOBS_PREFIX)).length === 0) return;
  throw new ServiceError({ reason: 'records_missing', file: DATABASE_FILE, setting: ENV.startWithoutRecords });
}

const markSchema = z.object({ seen_at: z.number(), trusted_from: z.number() });

export const sqliteClockMarks = (database: Database): ClockMarks => ({
  async last() {
    const row = guarded(() => database.prepare('SELECT seen_at, trusted_from FROM clock').get());
    if (!row) return undefined;
    const { seen_at, trusted_from } = markSchema.parse(row);
    return { seenAt: seen_at, trustedFrom: trusted_from };
  },
  async mark({ seenAt, trustedFrom }) {
    const sql = 'INSERT OR REPLACE INTO clock (id, seen_at, trusted_from) VALUES (1, ?, ?)';
    guarded(() => database.prepare(sql).run(Math.round(seenAt), Math.round(trustedFrom)));
  },
});

const rowSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    created_at: z.string(),
    revoked_at: z.string().nullable(),
    rights: z.string().transform(unpackRights),
  })
  .transform(
    ({ id, name, created_at: createdAt, revoked_at: revokedAt, rights }): KeyRecord => ({
      id,
      name,
      createdAt,
      revokedAt,
      rights,
    }),
  );

export class SqliteKeyStore implements KeyStore {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async create(name: string, rights: readonly KeyRight[]): Promise<{ key: string; record: KeyRecord }> {
    const { key, record } = this.#insert(name, rights, '');
    return { key, record };
  }

  async createFirst(name: string): Promise<{ key: string; record: KeyRecord } | undefined> {
    const { key, record, isMade } = this.#insert(name, KEY_RIGHTS, 'WHERE NOT EXISTS (SELECT 1 FROM keys)');
    return isMade ? { key, record } : undefined;
  }

  #insert(
    name: string,
    rights: readonly KeyRight[],
    condition: string,
  ): { key: string; record: KeyRecord; isMade: boolean } {
    const { id, key, secretHash } = makeKey();
    const record = { id, name, createdAt: this.#clock.now().toISOString(), revokedAt: null, rights };
    const sql = `INSERT INTO keys (id, name, secret_hash, created_at, rights) SELECT ?, ?, ?, ?, ? ${condition}`;
    const values = [id, name, secretHash, record.createdAt, packRights(rights)];
    const { changes } = guarded(() => this.#database.prepare(sql).run(...values));
    return { key, record, isMade: Number(changes) > 0 };
  }

  async verify(key: string): Promise<KeyRecord | undefined> {
    const { id, secret } = readKey(key);
    const row = guarded(() => this.#database.prepare('SELECT * FROM keys WHERE id = ?').get(id));
    if (!isSecretOf(secret, row?.secret_hash instanceof Uint8Array ? row.secret_hash : undefined)) return undefined;
    const record = rowSchema.parse(row);
    return record.revokedAt === null ? record : undefined;
  }

  async list(): Promise<KeyRecord[]> {
    const rows = guarded(() =>
      this.#database.prepare('SELECT id, name, created_at, revoked_at, rights FROM keys ORDER BY created_at, id').all(),
    );
    return rows.map((row) => rowSchema.parse(row));
  }

  async revoke(keyId: string): Promise<boolean> {
    const { changes } = guarded(() =>
      this.#database
        .prepare('UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
        .run(this.#clock.now().toISOString(), keyId),
    );
    return Number(changes) > 0;
  }
}
