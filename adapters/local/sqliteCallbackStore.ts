/** Callbacks in SQLite. Addresses may contain tokens, so they are encrypted like secrets. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { CALLBACK_STATES } from '../../packages/contract/states.ts';
import type { Callback } from '../../service/callback/callbackUrl.ts';
import type { CallbackStore } from '../../service/ports.ts';
import type { Database, SqlValue } from './database.ts';
import type { Vault } from './keyFiles.ts';
import { guarded } from './storageErrors.ts';

const rowSchema = z
  .object({
    job_id: z.string(),
    attempt: z.int(),
    key_id: z.string(),
    url: z.string(),
    state: z.enum(CALLBACK_STATES),
    tries: z.int(),
    due_at: z.string(),
    last_answer: z.string().nullable(),
  })
  .transform(
    ({ job_id, key_id, due_at, last_answer, ...same }): Callback => ({
      jobId: job_id,
      keyId: key_id,
      dueAt: due_at,
      lastAnswer: last_answer,
      ...same,
    }),
  );

const SAME_TRY = `job_id = ? AND attempt = ? AND tries = ? AND state = 'waiting'`;

const SECRET_BYTES = 32;

/** Never starts an address. */
const SEALED = 'sealed:';
const urlOf = (jobId: string): string => `callback of ${jobId}`;

export class SqliteCallbackStore implements CallbackStore {
  readonly #database: Database;
  readonly #vault: Vault;

  constructor(database: Database, vault: Vault) {
    this.#database = database;
    this.#vault = vault;
  }

  async enqueue({ jobId, attempt, keyId, url }: Parameters<CallbackStore['enqueue']>[0], at: string): Promise<void> {
    const address = await this.#sealedUrl(jobId, url);
    this.#change(
      `INSERT OR REPLACE INTO callbacks (job_id, attempt, key_id, url, state, tries, due_at)
       VALUES (?, ?, ?, ?, 'waiting', 0, ?)`,
      [jobId, attempt, keyId, address, at],
    );
  }

  async find(jobId: string): Promise<Callback | undefined> {
    return (await this.#rows('SELECT * FROM callbacks WHERE job_id = ?', [jobId]))[0];
  }

  async due(at: string, limit: number): Promise<Callback[]> {
    const sql = `SELECT * FROM callbacks WHERE state = 'waiting' AND due_at < ? ORDER BY due_at, job_id LIMIT ?`;
    return this.#rows(sql, [at, limit]);
  }

  async take({ jobId, attempt, tries }: Callback, until: string): Promise<boolean> {
    const sql = `UPDATE callbacks SET tries = tries + 1, due_at = ? WHERE ${SAME_TRY}`;
    return this.#change(sql, [until, jobId, attempt, tries]);
  }

  async note(
    { jobId, attempt, tries }: Callback,
    { state, dueAt, lastAnswer }: Parameters<CallbackStore['note']>[1],
  ): Promise<boolean> {
    const sql = `UPDATE callbacks SET state = ?, due_at = ?, last_answer = ? WHERE ${SAME_TRY}`;
    return this.#change(sql, [state, dueAt, lastAnswer, jobId, attempt, tries]);
  }

  async erase(jobId: string, attempt?: number): Promise<void> {
    const only = attempt === undefined ? '' : ' AND attempt = ?';
    this.#change(`DELETE FROM callbacks WHERE job_id = ?${only}`, [jobId, ...(attempt === undefined ? [] : [attempt])]);
  }

  async secretOf(keyId: string): Promise<Uint8Array> {
    const purpose = `callback secret of ${keyId}`;
    const made = await this.#vault.seal(randomBytes(SECRET_BYTES), purpose);
    this.#change('INSERT OR IGNORE INTO callback_secrets (key_id, secret) VALUES (?, ?)', [keyId, made]);
    const row = guarded(() =>
      this.#database.prepare('SELECT secret FROM callback_secrets WHERE key_id = ?').get(keyId),
    );
    return this.#vault.open(z.instanceof(Uint8Array).parse(row?.secret), purpose);
  }

  #change(sql: string, values: SqlValue[]): boolean {
    return guarded(() => Number(this.#database.prepare(sql).run(...values).changes) > 0);
  }

  #rows(sql: string, values: SqlValue[]): Promise<Callback[]> {
    const rows = guarded(() => this.#database.prepare(sql).all(...values)).map((row) => rowSchema.parse(row));
    return Promise.all(rows.map(async (row) => ({ ...row, url: await this.#openedUrl(row) })));
  }

  async #sealedUrl(jobId: string, url: string): Promise<string> {
    const sealed = await this.#vault.seal(Buffer.from(url), urlOf(jobId));
    return `${SEALED}${Buffer.from(sealed).toString('base64')}`;
  }

  async #openedUrl({ jobId, url }: Callback): Promise<string> {
    const opened = await this.#vault.open(Buffer.from(url.slice(SEALED.length), 'base64'), urlOf(jobId));
    return Buffer.from(opened).toString();
  }
}
