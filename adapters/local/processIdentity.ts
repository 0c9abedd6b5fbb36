/** Who holds a lease or a temporary file, and whether that one is certainly gone. */
import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessIdentity {
  /** Unlike any other, also where a process id comes back after a restart. */
  instance: string;
  /** Where process ids mean the same: the host and, on Linux, the process namespace. */
  host: string;
  pid: number;
}

export const thisProcess: ProcessIdentity = {
  instance: randomBytes(8).toString('hex'),
  host: `${hostname()} ${processNamespace()}`,
  pid: process.pid,
};

/** True only where it is certain: on the same host, a process id that is free, or that is ours under another instance. */
export function isGone(owner: ProcessIdentity, self: ProcessIdentity = thisProcess): boolean {
  if (owner.host !== self.host || owner.instance === self.instance) return false;
  return owner.pid === self.pid || !isAlive(owner.pid);
}

/** Whether a process of this id runs here; one that has ended and waits for its parent to notice does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return !hasEnded(pid);
}

/** The state that Linux tells: after the name, which stands in brackets and may hold any character. */
function hasEnded(pid: number): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return /^\) [ZX] /.test(text.slice(text.lastIndexOf(')')));
  } catch {
    return false;
  }
}

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
