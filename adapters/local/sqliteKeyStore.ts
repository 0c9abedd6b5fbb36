/**
 * Keys in SQLite. A key is `<id>.<secret>`: found by its id, then compared by its secret's SHA-256. The secret has 256
 * random bits, so that neither a salt nor a slow hash would make it harder to guess.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { Clock, KeyRecord, KeyStore } from '../../domain/ports.ts';
import { storageError } from './storageErrors.ts';

const ID_BYTES = 8;
const SECRET_BYTES = 32;
const KEY_TEXT = /^([0-9a-f]{16})\.([A-Za-z0-9_-]{43})$/;

/** Compared with where no key has the id, so that an unknown id takes as long as a wrong secret. */
const NO_HASH = randomBytes(32);

const rowSchema = z
  .object({ id: z.string(), name: z.string(), created_at: z.string(), revoked_at: z.string().nullable() })
  .transform(
    (row): KeyRecord => ({ id: row.id, name: row.name, createdAt: row.created_at, revokedAt: row.revoked_at }),
  );

export class SqliteKeyStore implements KeyStore {
  readonly #database: DatabaseSync;
  readonly #clock: Clock;

  constructor(database: DatabaseSync, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async create(name: string): Promise<{ key: string; record: KeyRecord }> {
    const id = randomBytes(ID_BYTES).toString('hex');
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const record = { id, name, createdAt: this.#clock.now().toISOString(), revokedAt: null };
    this.#guard(() =>
      this.#database
        .prepare('INSERT INTO keys (id, name, secret_hash, created_at) VALUES (?, ?, ?, ?)')
        .run(id, name, hashOf(secret), record.createdAt),
    );
    return { key: `${id}.${secret}`, record };
  }

  async verify(key: string): Promise<KeyRecord | undefined> {
    const [, id = '', secret = ''] = KEY_TEXT.exec(key) ?? [];
    const row = this.#guard(() => this.#database.prepare('SELECT * FROM keys WHERE id = ?').get(id));
    const stored = row?.secret_hash instanceof Uint8Array ? row.secret_hash : NO_HASH;
    if (!timingSafeEqual(hashOf(secret), stored)) return undefined;
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

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();
