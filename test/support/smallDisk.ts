/** Disks that are full or not writable: real ones where this user may mount, else folders that behave alike. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './temporaryFolder.ts';

export interface SmallDisk {
  path: string;
  /** Whether it is a disk of its own: it can be filled, and made read-only for everybody. */
  mounted: boolean;
  /** Leaves no room on it; `free` makes room again. Mounted disks only. */
  fill(): void;
  free(): void;
  setWritable(writable: boolean): void;
  remove(): void;
}

const ran = (command: string, ...args: string[]): boolean => spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** A disk of `megabytes`. Not mounted where the system does not allow it: then only `setWritable` has an effect. */
export function makeSmallDisk(megabytes: number): SmallDisk {
  const folder = makeFolder();
  const path = join(folder.path, 'disk');
  mkdirSync(path);
  const mounted = ran('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path);
  const ballast = join(path, 'ballast');
  return {
    path,
    mounted,
    fill: () => fillUp(ballast),
    free: () => rmSync(ballast, { force: true }),
    setWritable: (writable) => {
      if (mounted) ran('mount', '-o', `remount,${writable ? 'rw' : 'ro'}`, path);
      else if (process.getuid?.() !== 0) chmodSync(path, writable ? 0o700 : 0o500);
      else replaceObjects(path, writable);
    },
    remove: () => {
      if (mounted) ran('umount', '-l', path);
      folder.remove();
    },
  };
}

/** Writes until the disk says that it is full, down to single blocks. */
function fillUp(ballast: string): void {
  for (const block of [1_048_576, 4096, 1]) {
    for (;;) {
      try {
        writeFileSync(ballast, new Uint8Array(block), { flag: 'a' });
      } catch {
        break;
      }
    }
  }
}

/** For a superuser who may not mount: modes do not bind him, a file in place of a folder does. */
function replaceObjects(path: string, writable: boolean): void {
  for (const name of ['objects', 'tmp']) {
    const [there, aside] = [join(path, name), join(path, `${name}-aside`)];
    if (writable) {
      rmSync(there, { force: true });
      ran('mv', aside, there);
    } else {
      ran('mv', there, aside);
      writeFileSync(there, '');
    }
  }
}
