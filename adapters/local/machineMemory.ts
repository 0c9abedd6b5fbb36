/** The memory of this machine, or of the container where that has less. */
import { readFileSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';
import { join } from 'node:path';

export interface Machine {
  /** Bytes that a process may still take, and that all together may have. */
  available(): number;
  total(): number;
  /** Bytes that a process holds. */
  heldBy(pid: number): number;
}

/** What Linux says of itself. */
export const LINUX: Machine = {
  available() {
    if (!isBounded()) return freemem();
    return Math.min(freemem(), process.availableMemory() + cachedFiles('/proc/self/cgroup', '/sys/fs/cgroup'));
  },
  total: () => (isBounded() ? process.constrainedMemory() : totalmem()),
  heldBy: (pid) => 1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(contentOf(`/proc/${pid}/status`))?.[1] ?? 0),
};

/** Elsewhere what is called available leaves out what the system would give back. */
export const canTellMemory = (): boolean => process.platform === 'linux' && 'availableMemory' in process;

/** Whether a container has less than the machine. */
function isBounded(): boolean {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem();
}

/**
 * Bytes of files that the kernel keeps in memory for this process's control group (of version 2 or 1), which count as used and
 * are given back when memory is asked for; 0 where the system does not say. `groups`: the file that names the group; `root`:
 * the folder where groups are.
 */
export function cachedFiles(groups: string, root: string): number {
  const [, first, group] = /^\d+:(memory)?:(\/.*)$/m.exec(contentOf(groups)) ?? [];
  if (group === undefined) return 0;
  const hierarchy = join(root, first ?? '');
  const stat = contentOf(join(hierarchy, group, 'memory.stat')) || contentOf(join(hierarchy, 'memory.stat'));
  const whole = stat.includes('\ntotal_active_file ') ? 'total_' : '';
  const bytesOf = (name: string) => Number(new RegExp(`^${whole}${name} (\\d+)$`, 'm').exec(stat)?.[1] ?? 0);
  return bytesOf('active_file') + bytesOf('inactive_file');
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
