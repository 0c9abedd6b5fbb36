import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { storageError } from './storageErrors.ts';

export const DATABASE_FILE = 'service.db';

/** How long to wait for another process's write (ms). */
const BUSY_TIMEOUT_MS = 5000;
const EMPTY_TIMEOUT_MS = 100;

/** Only the service's user may read uploads. */
const PRIVATE = 0o700;
const PRIVATE_FILE = 0o600;
/** Permission bits of others. */
export const OTHERS = 0o077;

export type SqlValue = string | number | bigint | Uint8Array | null;

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  readonly isTransaction: boolean;
  close(): void;
}

interface Statement {
  run(...values: SqlValue[]): { changes: number | bigint };
  get(...values: SqlValue[]): Record<string, unknown> | undefined;
  all(...values: SqlValue[]): Record<string, unknown>[];
}

interface DatabaseOptions {
  /** False: commits survive the end of the process, but not a power cut. */
  durable?: boolean;
}

/** Throws if a newer version wrote the database. */
export function openDatabase(dataDir: string, options: DatabaseOptions = {}): Database {
  try {
    mkdirSync(dataDir, { recursive: true, mode: PRIVATE });
    const path = join(dataDir, DATABASE_FILE);
    refuseNewer(writtenVersion(path));
    makePrivate(path);
    return prepared(new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS }), options);
  } catch (error) {
    throw storageError(error);
  }
}

/** Restricts the file before anything is written; the log inherits its mode. */
function makePrivate(path: string): void {
  closeSync(openSync(path, 'a', PRIVATE_FILE));
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    if (existsSync(file) && (statSync(file).mode & OTHERS) !== 0) chmodSync(file, PRIVATE_FILE);
  }
}

function prepared(database: Database, { durable }: DatabaseOptions): Database {
  try {
    switchToWal(database);
    database.exec(`PRAGMA synchronous = ${durable === false ? 'NORMAL' : 'FULL'}`);
    database.exec('PRAGMA secure_delete = ON');
    immediately(database, () => migrate(database));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Reads `user_version` from the header (https://www.sqlite.org/fileformat.html, 1.3), since opening may change the
 * file.
 */
function writtenVersion(path: string): number {
  if (!existsSync(path)) return 0;
  const file = openSync(path, 'r');
  try {
    const version = Buffer.alloc(4);
    readSync(file, version, 0, 4, 60);
    return version.readUInt32BE();
  } finally {
    closeSync(file);
  }
}

function refuseNewer(version: number): void {
  if (version <= SCHEMA_VERSION) return;
  throw new Error(
    `The data folder was written by a newer version of the service (database schema ${version}; this version knows ${SCHEMA_VERSION}). Start that version, or set another DATA_DIR.`,
  );
}

/** Holds the write lock from the first statement, so that reads stay true. */
export function immediately<T>(database: Database, work: () => T): T {
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

/** Leaves no deleted data in the log; gives up if a reader takes over 0.1 s. */
export function emptyLog(database: Database): void {
  database.exec(`PRAGMA busy_timeout = ${EMPTY_TIMEOUT_MS}`);
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/** The switch does not wait for a process that opens the same new file. */
function switchToWal(database: Database): void {
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

function migrate(database: Database): void {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
  refuseNewer(version);
  if (version === SCHEMA_VERSION) return;
  for (const step of MIGRATIONS.slice(version)) database.exec(step);
  database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
}

/** `last_event_at`: upload or end; leases in ms. */
const SCHEMA = `
CREATE TABLE jobs (
  id            TEXT PRIMARY KEY,
  key_id        TEXT NOT NULL,
  state         TEXT NOT NULL CHECK (state IN ('uploaded', 'started', 'running', 'done', 'failed')),
  attempt       INTEGER NOT NULL,
  file_name     TEXT NOT NULL,
  file_bytes    INTEGER NOT NULL,
  created_at    TEXT NOT NULL,
  started_at    TEXT,
  ended_at      TEXT,
  last_event_at TEXT NOT NULL,
  request       TEXT,
  progress      TEXT NOT NULL DEFAULT '[]',
  metrics       TEXT,
  error         TEXT,
  lease_instance TEXT,
  lease_host     TEXT,
  lease_pid      INTEGER,
  lease_until    INTEGER
) STRICT;
CREATE INDEX jobs_by_state ON jobs (state, last_event_at);

CREATE TABLE slots (
  slot TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE keys (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL,
  secret_hash BLOB NOT NULL,
  created_at  TEXT NOT NULL,
  revoked_at  TEXT
) STRICT;
`;

/** A claim has a token, an answer a digest. `until` is in ms. */
const ANSWERS = `
CREATE TABLE answers (
  name   TEXT PRIMARY KEY,
  token  TEXT,
  digest TEXT,
  answer TEXT,
  until  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX answers_by_end ON answers (until);
`;

const CALLBACKS = `
CREATE TABLE callbacks (
  job_id      TEXT PRIMARY KEY,
  attempt     INTEGER NOT NULL,
  key_id      TEXT NOT NULL,
  url         TEXT NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
  tries       INTEGER NOT NULL,
  due_at      TEXT NOT NULL,
  last_answer TEXT
) STRICT;
CREATE INDEX callbacks_waiting ON callbacks (due_at) WHERE state = 'waiting';

CREATE TABLE callback_secrets (
  key_id TEXT PRIMARY KEY,
  secret BLOB NOT NULL
) STRICT, WITHOUT ROWID;
`;

const CLOCK = `
CREATE TABLE clock (
  id           INTEGER PRIMARY KEY CHECK (id = 1),
  seen_at      INTEGER NOT NULL,
  trusted_from INTEGER NOT NULL
) STRICT;
`;

/** SQLite cannot change a CHECK, so rows move to a new table. */
const QUEUE = `
CREATE TABLE jobs_with_queue (
  id            TEXT PRIMARY KEY,
  key_id        TEXT NOT NULL,
  state         TEXT NOT NULL CHECK (state IN ('uploaded', 'queued', 'started', 'running', 'done', 'failed')),
  attempt       INTEGER NOT NULL,
  file_name     TEXT NOT NULL,
  file_bytes    INTEGER NOT NULL,
  created_at    TEXT NOT NULL,
  started_at    TEXT,
  ended_at      TEXT,
  last_event_at TEXT NOT NULL,
  request       TEXT,
  progress      TEXT NOT NULL DEFAULT '[]',
  metrics       TEXT,
  error         TEXT,
  lease_instance TEXT,
  lease_host     TEXT,
  lease_pid      INTEGER,
  lease_until    INTEGER,
  released_at    TEXT,
  file_sha256    TEXT,
  receipt        TEXT,
  restarts       INTEGER NOT NULL DEFAULT 0,
  queued_at      TEXT,
  estimate       TEXT
) STRICT;
INSERT INTO jobs_with_queue (
  id, key_id, state, attempt, file_name, file_bytes, created_at, started_at, ended_at, last_event_at, request, progress, metrics,
  error, lease_instance, lease_host, lease_pid, lease_until, released_at, file_sha256, receipt, restarts
) SELECT
  id, key_id, state, attempt, file_name, file_bytes, created_at, started_at, ended_at, last_event_at, request, progress, metrics,
  error, lease_instance, lease_host, lease_pid, lease_until, released_at, file_sha256, receipt, restarts
FROM jobs;
DROP TABLE jobs;
ALTER TABLE jobs_with_queue RENAME TO jobs;
CREATE INDEX jobs_by_state ON jobs (state, last_event_at);
CREATE INDEX jobs_by_key ON jobs (key_id, created_at, id);

CREATE TABLE served (
  key_id TEXT PRIMARY KEY,
  at     TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;

/** `jobs.charge` names the charge of an attempt that has not run. */
const LEDGERS = `
CREATE TABLE ledgers (
  id      TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  charges TEXT NOT NULL
) STRICT, WITHOUT ROWID;
ALTER TABLE jobs ADD COLUMN charge TEXT;
`;

export const MIGRATIONS: readonly string[] = [
  SCHEMA,
  'CREATE INDEX jobs_by_key ON jobs (key_id, created_at, id);',
  'ALTER TABLE jobs ADD COLUMN released_at TEXT;',
  ANSWERS,
  CALLBACKS,
  'ALTER TABLE jobs ADD COLUMN file_sha256 TEXT;',
  'ALTER TABLE jobs ADD COLUMN receipt TEXT;',
  CLOCK,
  'ALTER TABLE jobs ADD COLUMN restarts INTEGER NOT NULL DEFAULT 0;',
  'ALTER TABLE keys ADD COLUMN rights TEXT;',
  QUEUE,
  LEDGERS,
];

/** Stored as `user_version`. */
export const SCHEMA_VERSION = MIGRATIONS.length;
