import { readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setPriority } from 'node:os';

export const JOB_NICENESS = 10;

/** Below the server, above running jobs. */
export const STARTING_NICENESS = 4;

/** Above jobs. */
export const HELPER_NICENESS = 5;

/** New threads inherit the priority. */
const HAS_THREAD_PRIORITIES = process.platform === 'linux';

/** Throws if the system refuses. */
export function lowerProcess(niceness: number): void {
  setPriority(niceness);
  if (!HAS_THREAD_PRIORITIES) return;
  for (const thread of readdirSync('/proc/self/task')) lowerThread(niceness, Number(thread));
}

export function lowerThread(niceness: number, thread = 0): void {
  if (!HAS_THREAD_PRIORITIES) return;
  try {
    setPriority(thread, niceness);
  } catch {
    // The thread has ended, or the system refuses.
  }
}

/** libuv's name. */
const POOL_THREAD = 'libuv-worker';

/** Linux only. */
export async function lowerPool(niceness: number): Promise<void> {
  if (!HAS_THREAD_PRIORITIES) return;
  // Starts all pool threads.
  await stat('/proc/self/task');
  for (const thread of readdirSync('/proc/self/task')) {
    const name = readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim();
    if (name === POOL_THREAD) lowerThread(niceness, Number(thread));
  }
}
