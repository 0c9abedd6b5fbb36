/** Answers kept for requests that may come twice, in SQLite. */
import { z } from 'zod';
import type { Claim, IdempotencyStore, KeptAnswer } from '../../service/ports.ts';
import { type Database, immediately, type SqlValue } from './database.ts';
import { storageError } from './storageErrors.ts';

const rowSchema = z.object({
  token: z.string().nullable(),
  digest: z.string().nullable(),
  answer: z.string().nullable(),
  until: z.number(),
});

export class SqliteIdempotencyStore implements IdempotencyStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async claim(name: string, token: string, now: number, until: number): Promise<Claim> {
    return this.#guard(() =>
      immediately(this.#database, () => {
        const found = this.#find(name);
        if (found && found.until > now && found.token !== token) return claimOf(found);
        this.#run('INSERT OR REPLACE INTO answers (name, token, until) VALUES (?, ?, ?)', [name, token, until]);
        return { kind: 'claimed' };
      }),
    );
  }

  async settle(name: string, token: string, { digest, answer }: KeptAnswer, until: number): Promise<boolean> {
    const sql = 'UPDATE answers SET token = NULL, digest = ?, answer = ?, until = ? WHERE name = ? AND token = ?';
    return this.#guard(() => this.#run(sql, [digest, answer, until, name, token]) > 0);
  }

  async drop(name: string, token: string): Promise<void> {
    this.#guard(() => this.#run('DELETE FROM answers WHERE name = ? AND token = ?', [name, token]));
  }

  async expire(now: number): Promise<void> {
    this.#guard(() => this.#run('DELETE FROM answers WHERE until <= ?', [now]));
  }

  #find(name: string): z.infer<typeof rowSchema> | undefined {
    const row = this.#database.prepare('SELECT token, digest, answer, until FROM answers WHERE name = ?').get(name);
    return row && rowSchema.parse(row);
  }

  #run(sql: string, values: SqlValue[]): number {
    return Number(this.#database.prepare(sql).run(...values).changes);
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw storageError(error);
    }
  }
}

const claimOf = ({ digest, answer }: z.infer<typeof rowSchema>): Claim =>
  digest === null || answer === null ? { kind: 'pending' } : { kind: 'settled', digest, answer };
