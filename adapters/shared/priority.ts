/** Priorities by which processes and threads stand back for the one that answers requests. */
import { readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setPriority } from 'node:os';

/** Of jobs, which compute while the server has to answer. */
export const JOB_NICENESS = 10;

/** Of jobs that load their code: behind the server, and ahead of the jobs that run already, so that they start soon beside them. */
export const STARTING_NICENESS = 4;

/** Of threads that work for the one that answers requests: behind it, and before jobs. */
export const HELPER_NICENESS = 5;

/** On Linux each thread has a priority of its own; new ones take that of the thread that starts them. */
const HAS_THREAD_PRIORITIES = process.platform === 'linux';

/** All threads of this process. Throws where the system refuses. */
export function lowerProcess(niceness: number): void {
  setPriority(niceness);
  if (!HAS_THREAD_PRIORITIES) return;
  for (const thread of readdirSync('/proc/self/task')) lowerThread(niceness, Number(thread));
}

/** The thread that calls this, or another; nothing on systems where it would be the whole process. */
export function lowerThread(niceness: number, thread = 0): void {
  if (!HAS_THREAD_PRIORITIES) return;
  try {
    setPriority(thread, niceness);
  } catch {
    // It has ended, or the system refuses: it goes on as it was.
  }
}

/** What libuv calls the threads that read files and compress. */
const POOL_THREAD = 'libuv-worker';

/** The threads in which this process compresses answers and reads files; nothing where the system does not name them. */
export async function lowerPool(niceness: number): Promise<void> {
  if (!HAS_THREAD_PRIORITIES) return;
  // The first task starts all of them.
  await stat('/proc/self/task');
  for (const thread of readdirSync('/proc/self/task')) {
    const name = readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim();
    if (name === POOL_THREAD) lowerThread(niceness, Number(thread));
  }
}
