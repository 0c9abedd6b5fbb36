// Runs a TypeScript entry on the Node version that the project pins, after installing what is missing.
// Plain JavaScript on built-ins alone: it must run on the oldest Node that npm may have been started with.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const nodePath = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
const stampPath = join(root, 'node_modules', '.installed-from');

/** The hash of the lock file: an installation made from another one is out of date. */
function lockHash() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

function isInstalled() {
  return existsSync(nodePath) && existsSync(stampPath) && readFileSync(stampPath, 'utf8') === lockHash();
}

function install() {
  console.error('Installing what the lock file names (npm ci) …');
  const npm = process.env.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm, 'ci']] : ['npm', ['ci']];
  const result = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (result.status !== 0) {
    console.error('npm ci failed. Check that the npm registry can be reached, then run the command again.');
    process.exit(result.status ?? 1);
  }
  writeFileSync(stampPath, lockHash());
}

const [entry, ...args] = process.argv.slice(2);
if (!entry) {
  console.error('usage: node scripts/run.mjs ENTRY.ts [ARGUMENT ...]');
  process.exit(2);
}
if (!isInstalled()) install();

const child = spawn(nodePath, ['--disable-warning=ExperimentalWarning', join(root, entry), ...args], {
  cwd: process.cwd(),
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 128 : (code ?? 1)));
