import { z } from 'zod';
import type { Claim, IdempotencyStore, KeptAnswer, Settlement } from '../../service/ports.ts';
import { type Database, immediately, type SqlValue } from './database.ts';
import { guarded } from './storageErrors.ts';

/** Returns false if the claim has lapsed. */
export function settleAnswer(database: Database, { name, token, digest, answer, until }: Settlement): boolean {
  const sql = 'UPDATE answers SET digest = ?, answer = ?, until = ? WHERE name = ? AND token = ? AND digest IS NULL';
  return Number(database.prepare(sql).run(digest, answer, until, name, token).changes) > 0;
}

const answerSchema = z.object({
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
    return guarded(() =>
      immediately(this.#database, () => {
        const found = this.#find(name);
        if (found && found.until > now && !isOwnClaim(found, token)) return claimOf(found);
        this.#run('INSERT OR REPLACE INTO answers (name, token, until) VALUES (?, ?, ?)', [name, token, until]);
        return { kind: 'claimed' };
      }),
    );
  }

  async settle(name: string, token: string, kept: KeptAnswer, until: number): Promise<boolean> {
    return guarded(() => settleAnswer(this.#database, { name, token, ...kept, until }));
  }

  async drop(name: string, token: string): Promise<void> {
    guarded(() => this.#run('DELETE FROM answers WHERE name = ? AND token = ?', [name, token]));
  }

  async expire(now: number): Promise<void> {
    guarded(() => this.#run('DELETE FROM answers WHERE until <= ?', [now]));
  }

  #find(name: string): z.infer<typeof answerSchema> | undefined {
    const row = this.#database.prepare('SELECT token, digest, answer, until FROM answers WHERE name = ?').get(name);
    return row && answerSchema.parse(row);
  }

  #run(sql: string, values: SqlValue[]): number {
    return Number(this.#database.prepare(sql).run(...values).changes);
  }
}

const isOwnClaim = (found: z.infer<typeof answerSchema>, token: string): boolean =>
  found.token === token && found.digest === null;

const claimOf = ({ digest, answer }: z.infer<typeof answerSchema>): Claim =>
  digest === null || answer === null ? { kind: 'pending' } : { kind: 'settled', digest, answer };
