// Uses only built-ins, to run on any Node that npm may have.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const nodePath = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
const lockPath = join(root, 'package-lock.json');
const stampPath = join(root, 'node_modules', '.installed-from');
const npmsOwnPath = join(root, 'node_modules', '.package-lock.json');
/** Contains the installing process id. Outside node_modules, which npm ci removes. */
const turnPath = join(root, '.installing');
const POLL_MS = 200;

/** Detects installations from another lock file. */
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
  // Suppresses warnings about npm's own older Node.
  const ci = ['ci', '--loglevel=error'];
  const [command, args] = npm ? [process.execPath, [npm, ...ci]] : ['npm', ci];
  // Skips onnxruntime-node's NVIDIA libraries, which only containers need.
  const env = { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' };
  const result = spawnSync(command, args, { cwd: root, env, stdio: ['ignore', 2, 2] });
  if (result.status !== 0) {
    console.error('npm ci failed. Check that the npm registry can be reached, then run the command again.');
    process.exit(result.status ?? 1);
  }
  writeFileSync(stampPath, lockHash());
}

/** Undefined if none is alive. */
function installer() {
  try {
    const id = Number(readFileSync(turnPath, 'utf8'));
    process.kill(id, 0);
    return id;
  } catch (error) {
    // Another user's process.
    return error.code === 'EPERM' ? 'unknown' : undefined;
  }
}

/** Takes over from a dead process. Returns false if another has the turn. */
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

/** Installs one at a time: npm ci would remove what another command runs on. */
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
  env: { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'), ...process.env },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 128 : (code ?? 1)));
