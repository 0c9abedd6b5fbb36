/** Ends this process when the server that started it is gone, also while its main thread computes: it has its own thread. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Resolves when the thread watches: from then on the main thread may compute without pause. */
export async function startWatchdog(parentPid: number): Promise<void> {
  const thread = new Worker(new URL('./watchdogThread.ts', import.meta.url), {
    workerData: { parentPid },
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  await once(thread, 'message');
  thread.on('error', () => process.kill(process.pid, 'SIGKILL'));
  thread.unref();
}
