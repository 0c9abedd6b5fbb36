/** Has its own thread, so that a busy main thread does not matter. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Resolves once the thread watches. */
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
