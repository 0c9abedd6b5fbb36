/** Python environments of the benches' own, made once each in the cache folder. */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './cacheFolder.ts';

/** The interpreter of an environment `name` that has `packages` (name==version). Throws where it cannot be made. */
export function preparePython(name: string, packages: readonly string[]): string {
  const folder = join(cacheFolder(), name);
  const python = join(folder, 'bin', 'python');
  if (!existsSync(join(folder, 'ready'))) {
    execute('python3', ['-m', 'venv', folder]);
    execute(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]);
    writeFileSync(join(folder, 'ready'), '');
  }
  return python;
}

/** The interpreter that has the peers of whole tables and of text: SDV, mostlyai-engine, ARF, and what the shared trial needs. */
export const preparePeers = (): string =>
  preparePython('joint-peers', [
    'sdv==2.0.0',
    'mostlyai-engine==2.7.3',
    'arfpy==0.1.1',
    'xgboost==3.1.1',
    'scikit-learn',
    'scipy',
    'pandas',
  ]);

/**
 * Runs a command to its end and returns what it printed. Throws with the last line of its complaint. Compiled code is
 * kept between runs of Node, as Python keeps it between its own.
 */
export function execute(command: string, args: readonly string[]): string {
  const env = { ...process.env, NODE_COMPILE_CACHE: join(cacheFolder(), 'node') };
  const result = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 26, env });
  if (result.status === 0) return result.stdout;
  const complaint = result.error?.message ?? result.stderr.trim().split('\n').at(-1);
  throw new Error(`${command} ${args.slice(0, 3).join(' ')} failed: ${complaint}`);
}
