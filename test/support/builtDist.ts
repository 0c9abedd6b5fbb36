/** What `npm run build` writes, made once for all test files of these sources. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './imports.ts';

const FOLDER = join(root, 'node_modules', '.cache', 'built');
const SOURCES = '{adapters,api,cli,gpu-job,mcp,packages,scripts,server,service,web}/**/*.*';

/** Copies it to `to`, which is not there yet. Throws what the build said where it failed. */
export function copyDist(to: string): void {
  const built = join(FOLDER, keyOf([...globSync(SOURCES, { cwd: root }), 'package-lock.json', 'package.json']));
  if (!existsSync(built)) build(built);
  cpSync(built, to, { recursive: true });
}

function keyOf(files: string[]): string {
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(`${file} ${statSync(join(root, file)).mtimeMs}\n`);
  return hash.digest('hex').slice(0, 32);
}

function build(to: string): void {
  const partial = `${to}.${process.pid}`;
  mkdirSync(FOLDER, { recursive: true });
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts', 'build.ts'), partial]);
  if (status !== 0 || stderr.length > 0) throw new Error(`the build ended with ${status}: ${stderr}`);
  // Another test file may have been faster.
  if (existsSync(to)) rmSync(partial, { recursive: true });
  else renameSync(partial, to);
}
