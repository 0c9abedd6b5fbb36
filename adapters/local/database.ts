/** The one SQLite file: jobs, slots and keys. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MIGRATIONS, SCHEMA_VERSION } from './databaseSchema.ts';
import { storageError } from './storageErrors.ts';

export const DATABASE_FILE = 'service.db';

/** How long a statement waits for another process's write, in milliseconds. */
const BUSY_TIMEOUT_MS = 5000;

/** Only the service's own user reads what clients uploaded. */
const PRIVATE = 0o700;

export interface DatabaseOptions {
  /** A commit survives a power cut (the default), or only the end of the process: for what is soon written again. */
  durable?: boolean;
}

/** Opens the database of a data folder, making both where they are missing. Throws where a newer version made it. */
export function openDatabase(dataDir: string, options: DatabaseOptions = {}): DatabaseSync {
  try {
    mkdirSync(dataDir, { recursive: true, mode: PRIVATE });
    const database = new DatabaseSync(join(dataDir, DATABASE_FILE), { timeout: BUSY_TIMEOUT_MS });
    switchToWal(database);
    database.exec(`PRAGMA synchronous = ${options.durable === false ? 'NORMAL' : 'FULL'}`);
    immediately(database, () => migrate(database));
    return database;
  } catch (error) {
    throw storageError(error);
  }
}

/** Runs `work` in a transaction that holds the write lock from its first statement, so that what it reads stays true. */
export function immediately<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** The switch does not wait for another process that opens the same new file: it is tried again. */
function switchToWal(database: DatabaseSync): void {
  const deadline = Date.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

function migrate(database: DatabaseSync): void {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
  if (version > SCHEMA_VERSION) {
    throw new Error(
      `The data folder was written by a newer version of the service (database schema ${version}; this version knows ${SCHEMA_VERSION}). Start that version, or give another DATA_DIR.`,
    );
  }
  if (version === SCHEMA_VERSION) return;
  for (const step of MIGRATIONS.slice(version)) database.exec(step);
  database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
}
