/** A disk that can be filled: a small one of its own where this user may mount. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './temporaryFolder.ts';

export interface SmallDisk {
  path: string;
  /** False where the system allows no mount: then `path` is a plain folder, and a full disk has to be played. */
  mounted: boolean;
  /** Leaves no room on it; `free` makes room again. Mounted disks only. */
  fill(): void;
  free(): void;
  remove(): void;
}

const ran = (command: string, ...args: string[]): boolean => spawnSync(command, args, { stdio: 'ignore' }).status === 0;

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
    remove: () => {
      if (mounted) ran('umount', '-l', path);
      folder.remove();
    },
  };
}

/** Writes until the disk says that it is full, down to single blocks. */
function fillUp(ballast: string): void {
  for (const block of [1_048_576, 65_536, 4096]) {
    for (;;) {
      try {
        writeFileSync(ballast, new Uint8Array(block), { flag: 'a' });
      } catch {
        break;
      }
    }
  }
}
