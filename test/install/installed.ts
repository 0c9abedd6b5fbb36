/** The package as somebody else has it: packed, and installed into an empty folder, on a Node of a given version. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { root } from '../support/imports.ts';

const CACHE = join(root, '.cache', 'install');

/** What npm says of this machine's own settings, and whose scripts its user may allow: these two work without theirs. */
const OF_THE_USER =
  /^npm warn (Unknown (user|global|builtin|env|cli) config|install-scripts($| \d+ packages? ha| Run | +(@photostructure\/sqlite|onnxruntime-node)@))/;

/** Its warnings. Throws with what npm said where it failed. `onnxruntime-node` fetches no GPU libraries. */
function npm(folder: string, path: string, ...args: string[]): string[] {
  const env = { ...process.env, PATH: path, ONNXRUNTIME_NODE_INSTALL: 'skip' };
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} ended with ${status}:\n${stderr}`);
  return stderr.split('\n').filter((line) => /^npm warn|Warning: /i.test(line) && !OF_THE_USER.test(line));
}

/** The program of that version of Node, from the npm package `node`, fetched once. */
export function nodeOf(major: number): string {
  const folder = join(CACHE, `node-${major}`);
  const program = join(folder, 'node_modules', 'node', 'bin', 'node');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private": true, "allowScripts": {"node": true}}');
  npm(folder, process.env.PATH ?? '', 'install', '--no-audit', '--no-fund', `node@${major}`);
  return program;
}

export interface Packed {
  tarball: string;
  warnings: readonly string[];
}

/** Packs the checkout into a folder, as `npm pack` does. */
export function packInto(folder: string): Packed {
  const warnings = npm(root, process.env.PATH ?? '', 'pack', '--pack-destination', folder);
  const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  return { tarball: join(folder, file), warnings };
}

const QUIET = ['--no-audit', '--no-fund'];
/** The lock file says where each package came from, so that all of them are found again in npm's cache. */
const FROM_REGISTRY = ['--prefer-offline', '--no-omit-lockfile-registry-resolved'];

export interface Project {
  folder: string;
  /** What npm warned of on installing. */
  warnings: readonly string[];
  /** Runs a script of the folder, or a command that the package installed, on the project's Node. */
  run(script: string, ...args: string[]): SpawnSyncReturns<string>;
  /** Installs again what was installed, from npm's cache: the time that unpacking takes, beyond the registry's. */
  unpackAgain(): void;
  node: string;
  environment: Record<string, string>;
}

/** An empty project with a table in it, and the package installed. `others`: packages to install beside it. */
export function installInto(folder: string, tarball: string, major: number, ...others: string[]): Project {
  const node = nodeOf(major);
  const environment = { PATH: `${dirname(node)}${delimiter}${process.env.PATH}`, HOME: folder };
  writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  copyFileSync(join(root, 'examples', 'penguins.csv'), join(folder, 'penguins.csv'));
  chmodSync(folder, 0o755);
  const warnings = npm(folder, environment.PATH, 'install', ...QUIET, ...FROM_REGISTRY, tarball, ...others);
  return {
    folder,
    node,
    environment,
    warnings,
    unpackAgain() {
      rmSync(join(folder, 'node_modules'), { recursive: true });
      npm(folder, environment.PATH, 'ci', ...QUIET, '--offline');
    },
    run: (script, ...args) =>
      spawnSync(node, [join(folder, script), ...args], { cwd: folder, env: environment, encoding: 'utf8' }),
  };
}
