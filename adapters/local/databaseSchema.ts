/** `last_event_at` is the upload's time, then the end's. Leases are times in milliseconds; no lease is a null. */
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

/** A claim has a token; an answer that is kept has a digest and a text in its place. `until` is in milliseconds. */
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

/** Steps from one version to the next; the first is from nothing to version 1. */
export const MIGRATIONS: readonly string[] = [
  SCHEMA,
  'CREATE INDEX jobs_by_key ON jobs (key_id, created_at, id);',
  'ALTER TABLE jobs ADD COLUMN released_at TEXT;',
  ANSWERS,
  CALLBACKS,
];

/** Written to the file as `user_version`. */
export const SCHEMA_VERSION = MIGRATIONS.length;
