/** Names of temporary files: they tell whose they are, so that the leftovers of a killed process can be found. */
import { createHash } from 'node:crypto';
import { isGone, type ProcessIdentity, thisProcess } from './processIdentity.ts';

let made = 0;

const hostTag = (host: string): string => createHash('sha256').update(host).digest('hex').slice(0, 12);

/** `<host>.<pid>.<instance>.<n>` */
export function temporaryName(self: ProcessIdentity = thisProcess): string {
  made += 1;
  return [hostTag(self.host), self.pid, self.instance, made].join('.');
}

/** Whether the process that made this name is certainly gone. False for a name that is not of this form. */
export function isLeftover(name: string, self: ProcessIdentity = thisProcess): boolean {
  const [, host, pid, instance] = /^([0-9a-f]{12})\.(\d+)\.([0-9a-f]+)\.\d+$/.exec(name) ?? [];
  if (host !== hostTag(self.host) || pid === undefined || instance === undefined) return false;
  return isGone({ host: self.host, pid: Number(pid), instance }, self);
}
