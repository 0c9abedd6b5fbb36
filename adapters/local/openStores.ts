import { z } from 'zod';
import type { CallbackStore, Clock, IdempotencyStore, KeyRecord, KeyStore, Signer } from '../../service/ports.ts';
import { isSecretOf, makeKey, readKey } from '../shared/keys.ts';
import { type Database, openDatabase } from './database.ts';
import { FileObjectStore } from './fileObjectStore.ts';
import { fileSigner } from './fileSigner.ts';
import { thisProcess } from './leases.ts';
import { SqliteCallbackStore } from './sqliteCallbackStore.ts';
import { SqliteIdempotencyStore } from './sqliteIdempotencyStore.ts';
import { SqliteJobStore } from './sqliteJobStore.ts';
import { storageError } from './storageErrors.ts';

export interface LocalStores {
  jobs: SqliteJobStore;
  objects: FileObjectStore;
  keys: KeyStore;
  idempotency: IdempotencyStore;
  callbacks: CallbackStore;
  signer: Signer;
  clock: Clock;
  /** A second connection, whose commits do not wait for the disk: for what is soon written again. */
  relaxed: Database;
  close(): void;
}

/**
 * Records, files and keys of a data folder, which is made where it is missing. Any number of processes may have it open.
 * Throws where a newer version made it, and `storage_full` or `storage_unavailable` (ServiceError).
 */
export function openStores(dataDir: string): LocalStores {
  const database = openDatabase(dataDir);
  const relaxed = openDatabase(dataDir, { durable: false });
  const clock: Clock = { now: () => new Date() };
  return {
    jobs: new SqliteJobStore(database, thisProcess, relaxed),
    objects: new FileObjectStore(dataDir),
    keys: new SqliteKeyStore(database, clock),
    idempotency: new SqliteIdempotencyStore(database),
    callbacks: new SqliteCallbackStore(database),
    signer: fileSigner(dataDir),
    clock,
    relaxed,
    close() {
      relaxed.close();
      database.close();
    },
  };
}

// Keys in SQLite, kept as hashes only.

const rowSchema = z
  .object({ id: z.string(), name: z.string(), created_at: z.string(), revoked_at: z.string().nullable() })
  .transform(
    (row): KeyRecord => ({ id: row.id, name: row.name, createdAt: row.created_at, revokedAt: row.revoked_at }),
  );

export class SqliteKeyStore implements KeyStore {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async create(name: string): Promise<{ key: string; record: KeyRecord }> {
    const { id, key, secretHash } = makeKey();
    const record = { id, name, createdAt: this.#clock.now().toISOString(), revokedAt: null };
    this.#guard(() =>
      this.#database
        .prepare('INSERT INTO keys (id, name, secret_hash, created_at) VALUES (?, ?, ?, ?)')
        .run(id, name, secretHash, record.createdAt),
    );
    return { key, record };
  }

  async verify(key: string): Promise<KeyRecord | undefined> {
    const { id, secret } = readKey(key);
    const row = this.#guard(() => this.#database.prepare('SELECT * FROM keys WHERE id = ?').get(id));
    if (!isSecretOf(secret, row?.secret_hash instanceof Uint8Array ? row.secret_hash : undefined)) return undefined;
    const record = rowSchema.parse(row);
    return record.revokedAt === null ? record : undefined;
  }

  async list(): Promise<KeyRecord[]> {
    const rows = this.#guard(() =>
      this.#database.prepare('SELECT id, name, created_at, revoked_at FROM keys ORDER BY created_at, id').all(),
    );
    return rows.map((row) => rowSchema.parse(row));
  }

  async revoke(keyId: string): Promise<boolean> {
    const { changes } = this.#guard(() =>
      this.#database
        .prepare('UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL')
        .run(this.#clock.now().toISOString(), keyId),
    );
    return Number(changes) > 0;
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw storageError(error);
    }
  }
}
