import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Returns the user's cache folder (Linux, macOS, Windows conventions), without making it. */
export const cacheFolder = (name: string): string => join(ofUser(process.platform), 'synthetic-tables', name);

function ofUser(platform: NodeJS.Platform): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches');
  if (platform === 'win32') return LOCALAPPDATA || join(homedir(), 'AppData', 'Local');
  return XDG_CACHE_HOME || join(homedir(), '.cache');
}

const COMPILED = cacheFolder('compiled');

/**
 * Turns on Node's compile cache, which halves start-up. Empty if the folder cannot be made, since Node would retry for
 * ever.
 */
export function compileCacheEnvironment(folder: string = COMPILED): { NODE_COMPILE_CACHE?: string } {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return { NODE_COMPILE_CACHE: folder };
  } catch {
    return {};
  }
}
