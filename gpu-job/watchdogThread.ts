/** An orphan gets another parent. */
import { parentPort, workerData } from 'node:worker_threads';

const LOOK_MS = 250;

/** Not parsed with zod, whose loading would delay the job. */
const parentPid: unknown = workerData.parentPid;
if (typeof parentPid !== 'number') throw new TypeError('the watchdog is not told whom to watch');

function look(): void {
  if (process.ppid !== parentPid) process.kill(process.pid, 'SIGKILL');
}

look();
setInterval(look, LOOK_MS);
parentPort?.postMessage('watching');
