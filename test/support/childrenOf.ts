import { readdirSync, readFileSync } from 'node:fs';

/** Ids of the processes whose parent is `pid`, as Linux tells them; none on other systems. */
export function childrenOf(pid: number): number[] {
  try {
    const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return ids.filter((id) => parentOf(id) === pid).map(Number);
  } catch {
    return [];
  }
}

/** Ids of the processes of jobs that run under a server, or a queue: the starter of processes is between them. */
export const jobsOf = (pid: number): number[] => childrenOf(pid).flatMap(childrenOf);

function parentOf(id: string): number | undefined {
  try {
    const parent = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1];
    return parent === undefined ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}
