/** A queue of child processes on a folder of its own, whose jobs are those of `testJob.ts`. */
import { join } from 'node:path';
import { ChildProcessQueue } from '../../adapters/local/childProcessQueue.ts';
import { openStores } from '../../adapters/local/openStores.ts';
import type { Log } from '../../service/ports.ts';
import { makeFolder } from './temporaryFolder.ts';

export interface LogEntry {
  level: 'info' | 'error';
  event: string;
  fields: Record<string, unknown>;
}

export function recordingLog(): { log: Log; entries: LogEntry[] } {
  const entries: LogEntry[] = [];
  const at =
    (level: LogEntry['level']): Log['info'] =>
    (event, fields = {}) =>
      void entries.push({ level, event, fields });
  return { log: { info: at('info'), error: at('error') }, entries };
}

export function makeLocalQueue({ timeoutSeconds = 600 } = {}) {
  const folder = makeFolder();
  const stores = openStores(folder.path);
  const { log, entries } = recordingLog();
  const queue = new ChildProcessQueue({
    dataDir: folder.path,
    jobs: stores.jobs,
    clock: stores.clock,
    log,
    timeoutSeconds,
    entry: join(import.meta.dirname, 'testJob.ts'),
    nodeFlags: ['--max-old-space-size=64'],
  });
  const dispose = async () => {
    await queue.close();
    stores.close();
    folder.remove();
  };
  return { ...stores, queue, entries, folder: folder.path, dispose };
}
