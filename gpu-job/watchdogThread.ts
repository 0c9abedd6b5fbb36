/** The watchdog's thread. A process whose parent is gone is given another one by the system. */
import { workerData } from 'node:worker_threads';
import { z } from 'zod';

const LOOK_MS = 250;

const { parentPid } = z.object({ parentPid: z.int() }).parse(workerData);

setInterval(() => {
  if (process.ppid !== parentPid) process.kill(process.pid, 'SIGKILL');
}, LOOK_MS);
