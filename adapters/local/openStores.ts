import type { Clock, KeyStore } from '../../domain/ports.ts';
import { openDatabase } from './database.ts';
import { FileObjectStore } from './fileObjectStore.ts';
import { SqliteJobStore } from './sqliteJobStore.ts';
import { SqliteKeyStore } from './sqliteKeyStore.ts';

export interface LocalStores {
  jobs: SqliteJobStore;
  objects: FileObjectStore;
  keys: KeyStore;
  clock: Clock;
  close(): void;
}

/**
 * Records, files and keys of a data folder, which is made where it is missing. Any number of processes may have it open.
 * Throws where a newer version made it, and `storage_full` or `storage_unavailable` (ServiceError).
 */
export function openStores(dataDir: string): LocalStores {
  const database = openDatabase(dataDir);
  const clock: Clock = { now: () => new Date() };
  return {
    jobs: new SqliteJobStore(database),
    objects: new FileObjectStore(dataDir),
    keys: new SqliteKeyStore(database, clock),
    clock,
    close: () => database.close(),
  };
}
