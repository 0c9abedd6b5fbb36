import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, it } from 'vitest';
import {
  DATABASE_FILE,
  type Database,
  immediately,
  openDatabase,
  SCHEMA_VERSION,
} from '../../../adapters/local/database.ts';
import { openStores, SqliteKeyStore } from '../../../adapters/local/openStores.ts';
import { SqliteJobStore } from '../../../adapters/local/sqliteJobStore.ts';
import { slotOf } from '../../../service/job/job.ts';
import { newJob, requestFor } from '../../support/jobFixtures.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { makeUnwritable } from '../../support/unwritable.ts';

const pragma = (database: Database, name: string): unknown =>
  Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];

describe('openDatabase', () => {
  it('makes a data folder that only its owner can look into', () => {
    const path = join(temporaryFolder(), 'a', 'data');
    openDatabase(path).close();
    expect(statSync(path).mode & 0o077).toBe(0);
  });

  it('keeps what was written, with a log, every commit on the disk, and its version', async () => {
    const path = temporaryFolder();
    const first = openDatabase(path);
    await new SqliteJobStore(first).create(newJob('a'));
    first.close();
    const second = openDatabase(path);
    expect(await new SqliteJobStore(second).find('a')).toMatchObject(newJob('a'));
    expect(pragma(second, 'journal_mode')).toBe('wal');
    expect(pragma(second, 'synchronous')).toBe(2);
    expect(pragma(second, 'user_version')).toBe(SCHEMA_VERSION);
    second.close();
  });

  it('keeps no byte of a record that was erased, in the file or its log', async () => {
    const path = temporaryFolder();
    const stores = openStores(path);
    const name = 'drubmek-zqxlo.csv';
    for (const id of ['a', 'b']) await stores.jobs.create({ ...newJob(id), fileName: `${id}-${name}` });
    await stores.jobs.takeSlot(slotOf('a', 1), 3);
    await stores.jobs.start('a', 1, requestFor('a'), '2026-11-24T09:00:00Z');
    const event = { stage: 'write', fact: 'table_written', bytes: 98_765_431, seconds: 0 } as const;
    await stores.jobs.addEvents('a', 1, Array(400).fill(event));
    const bytesOf = () =>
      readdirSync(path).map((file) =>
        statSync(join(path, file)).isFile() ? readFileSync(join(path, file), 'latin1') : '',
      );
    expect(bytesOf().join()).toContain('98765431');
    await stores.jobs.erase('a');
    expect(bytesOf().join()).toContain(`b-${name}`);
    expect(bytesOf().join()).not.toMatch(/a-drubmek|98765431/);
    stores.close();
  });

  it('brings a file of an earlier version up to date, and keeps what is in it', async () => {
    const path = temporaryFolder();
    const first = openDatabase(path);
    await new SqliteJobStore(first).create(newJob('a'));
    const made = await new SqliteKeyStore(first, { now: () => new Date() }).create('old', []);
    first.exec('ALTER TABLE jobs DROP COLUMN queued_at; ALTER TABLE jobs DROP COLUMN estimate; DROP TABLE served');
    first.exec('DROP TABLE ledgers; ALTER TABLE jobs DROP COLUMN charge; PRAGMA user_version = 10');
    first.close();
    const second = openDatabase(path);
    expect(pragma(second, 'user_version')).toBe(SCHEMA_VERSION);
    expect(second.prepare("SELECT name FROM sqlite_schema WHERE name = 'jobs_by_key'").get()).toBeDefined();
    expect(await new SqliteJobStore(second).find('a')).toMatchObject(newJob('a'));
    expect(second.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    const keys = new SqliteKeyStore(second, { now: () => new Date() });
    expect(await keys.verify(made.key)).toEqual(made.record);
    second.close();
  });

  it('refuses a file that a newer version made, says what to do, and does not touch it', () => {
    const path = temporaryFolder();
    const newer = new DatabaseSync(join(path, DATABASE_FILE));
    newer.exec(`CREATE TABLE later (x); PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    newer.close();
    const before = readFileSync(join(path, DATABASE_FILE));
    expect(() => openDatabase(path)).toThrow(/newer version .* DATA_DIR/);
    expect(readdirSync(path)).toEqual([DATABASE_FILE]);
    expect(readFileSync(join(path, DATABASE_FILE)).equals(before)).toBe(true);
  });

  it('refuses one whose version stands in its log alone', () => {
    const path = temporaryFolder();
    openDatabase(path).close();
    const newer = new DatabaseSync(join(path, DATABASE_FILE));
    newer.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    expect(() => openDatabase(path)).toThrow(/newer version .* DATA_DIR/);
    newer.close();
  });

  it('says that the folder cannot be written where it cannot', () => {
    const path = join(temporaryFolder(), 'data');
    const giveBack = makeUnwritable(path);
    try {
      expect(() => openDatabase(path)).toThrow(expect.objectContaining({ code: 'storage_unavailable' }));
    } finally {
      giveBack();
    }
  });

  it('is opened by eight processes at once on a new folder', async () => {
    const path = temporaryFolder();
    const module = join(import.meta.dirname, '..', '..', '..', 'adapters', 'local', 'database.ts');
    const script = `import { openDatabase } from ${JSON.stringify(module)}; openDatabase(${JSON.stringify(path)}).close();`;
    const codes = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
          stdio: ['ignore', 'ignore', 'inherit'],
        });
        return (await once(child, 'exit'))[0];
      }),
    );
    expect(codes).toEqual(Array(8).fill(0));
  });
});

describe('immediately', () => {
  it('undoes what was done where the work throws', () => {
    const database = openDatabase(temporaryFolder());
    const work = () => {
      database.exec(`INSERT INTO slots VALUES ('a#1')`);
      throw new Error('stop');
    };
    expect(() => immediately(database, work)).toThrow('stop');
    expect(database.prepare('SELECT count(*) AS n FROM slots').get()).toEqual({ n: 0 });
    expect(database.isTransaction).toBe(false);
    database.close();
  });
});
