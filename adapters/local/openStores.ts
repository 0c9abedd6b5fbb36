import type { DatabaseSync } from 'node:sqlite';
import type { AnswerStore, CallbackStore, Clock, KeyStore, Signer } from '../../domain/ports.ts';
import { openDatabase } from './database.ts';
import { FileObjectStore } from './fileObjectStore.ts';
import { fileSigner } from './fileSigner.ts';
import { thisProcess } from './processIdentity.ts';
import { SqliteAnswerStore } from './sqliteAnswerStore.ts';
import { SqliteCallbackStore } from './sqliteCallbackStore.ts';
import { SqliteJobStore } from './sqliteJobStore.ts';
import { SqliteKeyStore } from './sqliteKeyStore.ts';

export interface LocalStores {
  jobs: SqliteJobStore;
  objects: FileObjectStore;
  keys: KeyStore;
  answers: AnswerStore;
  callbacks: CallbackStore;
  signer: Signer;
  clock: Clock;
  /** A second connection, whose commits do not wait for the disk: for what is soon written again. */
  relaxed: DatabaseSync;
  close(): void;
}

/**
 * Records, files and keys of a data folder, which is made where it is missing. Any number of processes may have it open.
 * Throws where a newer version made it, and `storage_full` or `storage_unavailable` (ServiceError).
 */
export function openStores(dataDir: string): LocalStores {
  const database = openDatabase(dataDir);
  const relaxed = openDatabase(dataDir, { durable: false });
  const clock: Clock = { now: () => new Date() };
  return {
    jobs: new SqliteJobStore(database, thisProcess, relaxed),
    objects: new FileObjectStore(dataDir),
    keys: new SqliteKeyStore(database, clock),
    answers: new SqliteAnswerStore(database),
    callbacks: new SqliteCallbackStore(database),
    signer: fileSigner(dataDir),
    clock,
    relaxed,
    close() {
      relaxed.close();
      database.close();
    },
  };
}
