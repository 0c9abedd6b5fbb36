/** The watchdog's thread. A process whose parent is gone is given another one by the system. */
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';

const LOOK_MS = 250;

const { parentPid } = z.object({ parentPid: z.int() }).parse(workerData);

function look(): void {
  if (process.ppid !== parentPid) process.kill(process.pid, 'SIGKILL');
}

look();
setInterval(look, LOOK_MS);
parentPort?.postMessage('watching');
