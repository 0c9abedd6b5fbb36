/** What a data folder shows to whoever reads its files. */
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DATABASE_FILE, openDatabase } from '../../../adapters/local/database.ts';
import { openLocal } from '../../../adapters/local/openLocal.ts';
import { openStores } from '../../../adapters/local/openStores.ts';
import { AT, newJob } from '../../support/jobFixtures.ts';
import { recordingLog } from '../../support/localQueue.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const TOKEN = 'token-that-the-address-holds';
const URL_WITH_TOKEN = `https://hooks.example.org/tables?token=${TOKEN}`;

/** Every byte of the database and its log. */
const bytesOf = (folder: string): Buffer =>
  Buffer.concat(
    readdirSync(folder)
      .filter((name) => name.startsWith(DATABASE_FILE))
      .map((name) => readFileSync(join(folder, name))),
  );

describe('the files of a data folder', () => {
  it('are for their owner alone, those of an earlier version too', async () => {
    const folder = temporaryFolder();
    const former = process.umask(0o022);
    openDatabase(folder).close();
    process.umask(former);
    chmodSync(join(folder, DATABASE_FILE), 0o644);
    const stores = openStores(folder);
    await stores.jobs.create(newJob('a'));
    await stores.objects.put('jobs/a/upload', new Uint8Array(1));
    await stores.signer.publicKey();
    await stores.callbacks.secretOf('key-1');
    const open = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => (statSync(join(folder, name)).mode & 0o077) !== 0,
    );
    stores.close();
    expect(open).toEqual([]);
  });

  it('hold no secret and no address of a callback in clear', async () => {
    const folder = temporaryFolder();
    const stores = openStores(folder);
    await stores.callbacks.enqueue({ jobId: 'a', attempt: 1, keyId: 'key-1', url: URL_WITH_TOKEN }, AT);
    const secret = Buffer.from(await stores.callbacks.secretOf('key-1'));
    expect(bytesOf(folder).includes(TOKEN)).toBe(false);
    expect(bytesOf(folder).includes(secret)).toBe(false);
    expect((await stores.callbacks.find('a'))?.url).toBe(URL_WITH_TOKEN);
    stores.close();
  });

  it('are told of in the log where the folder is open to others', async () => {
    const folder = temporaryFolder();
    const warned = async (mode: number) => {
      chmodSync(folder, mode);
      const { log, entries } = recordingLog();
      const hours = { uploadRetentionHours: 24, resultRetentionHours: 720, orphanRetentionHours: 336 };
      const local = openLocal({
        dataDir: folder,
        log,
        version: '0',
        maxRunningJobs: 3,
        maxUploadBytes: 1,
        jobTimeoutSeconds: 1,
        ...hours,
      });
      await local.start();
      await local.close();
      return entries.map(({ event }) => event).includes('data_folder_open_to_others');
    };
    expect(await warned(0o755)).toBe(true);
    expect(await warned(0o700)).toBe(false);
  });
});
