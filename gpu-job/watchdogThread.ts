/** The watchdog's thread. A process whose parent is gone is given another one by the system. */
import { parentPort, workerData } from 'node:worker_threads';

const LOOK_MS = 250;

/** Not checked with zod: the job waits for this thread, and to load a library takes longer than to start it. */
const parentPid: unknown = workerData.parentPid;
if (typeof parentPid !== 'number') throw new TypeError('the watchdog is not told whom to watch');

function look(): void {
  if (process.ppid !== parentPid) process.kill(process.pid, 'SIGKILL');
}

look();
setInterval(look, LOOK_MS);
parentPort?.postMessage('watching');
