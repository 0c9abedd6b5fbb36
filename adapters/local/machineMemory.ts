/** Memory of the machine or its container, in bytes. */
import { readFileSync } from 'node:fs';
import { freemem, totalmem } from 'node:os';
import { join } from 'node:path';

export interface Machine {
  available(): number;
  total(): number;
  heldBy(pid: number): number;
}

export const LINUX: Machine = {
  available() {
    if (!isBounded()) return freemem();
    return Math.min(freemem(), process.availableMemory() + cachedFiles('/proc/self/cgroup', '/sys/fs/cgroup'));
  },
  total: () => (isBounded() ? process.constrainedMemory() : totalmem()),
  heldBy: (pid) => 1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(contentOf(`/proc/${pid}/status`))?.[1] ?? 0),
};

/** Other systems leave reclaimable memory out of what is available. */
export const canTellMemory = (): boolean => process.platform === 'linux' && 'availableMemory' in process;

function isBounded(): boolean {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem();
}

/**
 * Returns the bytes of cached files in this control group (version 2 or 1), which count as used but are reclaimable; 0
 * if unknown.
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
