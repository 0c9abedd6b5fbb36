/** Where this user's programs keep what can be made or fetched again: an installed package is never written to. */
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** A folder of that name for this software; nothing is made there. By the conventions of Linux, macOS and Windows. */
export const cacheFolder = (name: string): string => join(ofUser(process.platform), 'synthetic-tables', name);

function ofUser(platform: NodeJS.Platform): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches');
  if (platform === 'win32') return LOCALAPPDATA || join(homedir(), 'AppData', 'Local');
  return XDG_CACHE_HOME || join(homedir(), '.cache');
}

const COMPILED = cacheFolder('compiled');

/**
 * The variable that has Node keep compiled code from one process or thread to the next, which halves their start; none where the
 * folder cannot be made, since Node itself would try for ever.
 */
export function compileCacheEnvironment(folder: string = COMPILED): { NODE_COMPILE_CACHE?: string } {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return { NODE_COMPILE_CACHE: folder };
  } catch {
    return {};
  }
}
