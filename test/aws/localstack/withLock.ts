/** One process at a time, by a file that holds the owner's pid; the lock of a process that is gone is taken over. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function tryLock(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

function ownerIsGone(path: string): boolean {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    return pid > 0 && !isAlive(pid);
  } catch {
    return false;
  }
}

export async function withLock<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  while (!tryLock(path)) {
    if (ownerIsGone(path)) rmSync(path, { force: true });
    else await sleep(500);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}
