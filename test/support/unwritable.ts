/** A folder that cannot be written for a while, also where the user is a superuser and files in it are open. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';

const ran = (command: string, ...args: string[]): boolean => spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** Takes writing from everybody; the returned function gives it back. */
export function makeUnwritable(folder: string): () => void {
  mkdirSync(folder, { recursive: true });
  if (process.getuid?.() !== 0) {
    chmodSync(folder, 0o500);
    return () => chmodSync(folder, 0o700);
  }
  if (ran('mount', '-t', 'tmpfs', '-o', 'ro', 'tmpfs', folder)) return () => void ran('umount', '-l', folder);
  // A superuser who may not mount: modes do not bind him, a file in place of the folder does.
  renameSync(folder, `${folder}-aside`);
  writeFileSync(folder, '');
  return () => {
    rmSync(folder);
    renameSync(`${folder}-aside`, folder);
  };
}
