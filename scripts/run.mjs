// Runs a TypeScript entry on the Node version that the project pins, after installing what is missing.
// Plain JavaScript on built-ins alone: it must run on the oldest Node that npm may have been started with.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const nodePath = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
const lockPath = join(root, 'package-lock.json');
const stampPath = join(root, 'node_modules', '.installed-from');
/** Written by npm at the end of every installation. */
const npmsOwnPath = join(root, 'node_modules', '.package-lock.json');
/** Has the process id of the command that installs. Not in node_modules, which npm ci removes. */
const turnPath = join(root, '.installing');
const POLL_MS = 200;

/** The hash of the lock file: an installation made from another one is out of date. */
function lockHash() {
  return createHash('sha256').update(readFileSync(lockPath)).digest('hex');
}

function isInstalled() {
  if (!existsSync(nodePath)) return false;
  if (existsSync(stampPath) && readFileSync(stampPath, 'utf8') === lockHash()) return true;
  return existsSync(npmsOwnPath) && statSync(npmsOwnPath).mtimeMs > statSync(lockPath).mtimeMs;
}

function install() {
  console.error('Installing what the lock file names (npm ci) …');
  const npm = process.env.npm_execpath;
  // npm would warn of packages that want a newer Node than the one that it runs on: they get the one that is installed.
  const ci = ['ci', '--loglevel=error'];
  const [command, args] = npm ? [process.execPath, [npm, ...ci]] : ['npm', ci];
  // Nor are the libraries for NVIDIA GPUs fetched, which onnxruntime-node would download: only a container wants them.
  const env = { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' };
  const result = spawnSync(command, args, { cwd: root, env, stdio: ['ignore', 2, 2] });
  if (result.status !== 0) {
    console.error('npm ci failed. Check that the npm registry can be reached, then run the command again.');
    process.exit(result.status ?? 1);
  }
  writeFileSync(stampPath, lockHash());
}

/** The id of the process that installs; undefined where there is none. */
function installer() {
  try {
    const id = Number(readFileSync(turnPath, 'utf8'));
    process.kill(id, 0);
    return id;
  } catch (error) {
    // Of another user.
    return error.code === 'EPERM' ? 'unknown' : undefined;
  }
}

/** False where another process has the turn. One that has ended without giving it back has lost it. */
function takeTurn() {
  try {
    writeFileSync(turnPath, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (installer() === undefined) rmSync(turnPath, { force: true });
    return false;
  }
}

/** Commands that start at the same time install once: npm ci of one would remove what another runs on. */
function installInTurn() {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  let isSaid = false;
  while (!takeTurn()) {
    if (!isSaid && installer() !== undefined) {
      console.error(`Waiting for another command that installs here (process ${installer()}) …`);
      isSaid = true;
    }
    Atomics.wait(pause, 0, 0, POLL_MS);
  }
  process.on('exit', () => rmSync(turnPath, { force: true }));
  if (!isInstalled()) install();
  rmSync(turnPath, { force: true });
}

const [entry, ...args] = process.argv.slice(2);
if (!entry) {
  console.error('usage: node scripts/run.mjs ENTRY.ts [ARGUMENT ...]');
  process.exit(2);
}
if (existsSync(turnPath) || !isInstalled()) installInTurn();

const child = spawn(nodePath, ['--disable-warning=ExperimentalWarning', join(root, entry), ...args], {
  cwd: process.cwd(),
  stdio: 'inherit',
  // Compiled code is kept from one start to the next.
  env: { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'), ...process.env },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 128 : (code ?? 1)));
