/** Ends this process when the server that started it is gone, also while its main thread computes: it has its own thread. */
import { Worker } from 'node:worker_threads';

export function startWatchdog(parentPid: number): void {
  const thread = new Worker(new URL('./watchdogThread.ts', import.meta.url), { workerData: { parentPid }, env: {} });
  thread.on('error', () => process.kill(process.pid, 'SIGKILL'));
  thread.unref();
}
