/** The local adapters, by the suites of their ports. */
import { type Database, openDatabase } from '../../adapters/local/database.ts';
import { FileObjectStore } from '../../adapters/local/fileObjectStore.ts';
import { fileVault } from '../../adapters/local/keyFiles.ts';
import { SqliteKeyStore, sqliteClockMarks } from '../../adapters/local/openStores.ts';
import { SqliteCallbackStore } from '../../adapters/local/sqliteCallbackStore.ts';
import { SqliteIdempotencyStore } from '../../adapters/local/sqliteIdempotencyStore.ts';
import { SqliteJobStore } from '../../adapters/local/sqliteJobStore.ts';
import { makeLocalQueue } from '../support/localQueue.ts';
import { memoryCallbacks, memoryClockMarks, memoryIdempotency } from '../support/memoryService.ts';
import { makeFolder } from '../support/temporaryFolder.ts';
import { callbackStoreSuite } from './callbackStore.suite.ts';
import { clockMarksSuite } from './clockMarks.suite.ts';
import { answerStoreSuite } from './idempotencyStore.suite.ts';
import { jobQueueSuite } from './jobQueue.suite.ts';
import { jobSlotsSuite } from './jobSlots.suite.ts';
import { jobStoreSuite } from './jobStore.suite.ts';
import { keyStoreSuite } from './keyStore.suite.ts';
import { ledgerSuite } from './ledger.suite.ts';
import type { Made } from './made.ts';
import { objectStoreSuite } from './objectStore.suite.ts';
import { settlementSuite } from './settlement.suite.ts';

/** An adapter over a database in a folder of its own; each handle has a connection of its own. */
async function onDatabase<T>(adapterOn: (database: Database, folder: string) => T): Promise<Made<T>> {
  const folder = makeFolder();
  const open: Database[] = [];
  const handle = () => {
    const database = openDatabase(folder.path);
    open.push(database);
    return adapterOn(database, folder.path);
  };
  return {
    adapter: handle(),
    another: handle,
    async dispose() {
      for (const database of open) database.close();
      folder.remove();
    },
  };
}

jobStoreSuite('SqliteJobStore', () => onDatabase((database) => new SqliteJobStore(database)));
jobSlotsSuite('SqliteJobStore', () => onDatabase((database) => new SqliteJobStore(database)));
ledgerSuite('SqliteJobStore', () => onDatabase((database) => new SqliteJobStore(database)));

answerStoreSuite('SqliteIdempotencyStore', () => onDatabase((database) => new SqliteIdempotencyStore(database)));

callbackStoreSuite('SqliteCallbackStore', () =>
  onDatabase((database, folder) => new SqliteCallbackStore(database, fileVault(folder))),
);

clockMarksSuite('SQLite', () => onDatabase((database) => sqliteClockMarks(database)));

settlementSuite('SQLite', () =>
  onDatabase((database) => ({
    jobs: new SqliteJobStore(database),
    idempotency: new SqliteIdempotencyStore(database),
  })),
);

keyStoreSuite('SqliteKeyStore', () =>
  onDatabase((database) => new SqliteKeyStore(database, { now: () => new Date('2026-11-03T09:00:00Z') })),
);

objectStoreSuite('FileObjectStore', async () => {
  const folder = makeFolder();
  const handle = () => new FileObjectStore(folder.path);
  return { adapter: handle(), another: handle, dispose: async () => folder.remove() };
});

/** What tests of the rules stand on keeps the same conditions. */
answerStoreSuite('memory', async () => {
  const store = memoryIdempotency();
  return { adapter: store, another: () => store, dispose: async () => undefined };
});

clockMarksSuite('memory', async () => {
  const marks = memoryClockMarks();
  return { adapter: marks, another: () => marks, dispose: async () => undefined };
});

callbackStoreSuite('memory', async () => {
  const store = memoryCallbacks();
  return { adapter: store, another: () => store, dispose: async () => undefined };
});

jobQueueSuite('ChildProcessQueue', async () => makeLocalQueue());
