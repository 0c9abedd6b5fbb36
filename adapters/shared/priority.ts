/** Priorities by which processes and threads stand back for the one that answers requests. */
import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Of jobs, which compute while the server has to answer. */
export const JOB_NICENESS = 10;

/** Of jobs that load their code: behind the server, and ahead of the jobs that run already, so that they start soon beside them. */
export const STARTING_NICENESS = 4;

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
