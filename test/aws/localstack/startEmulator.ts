/** Starts the emulator on a free port of the loopback address, and ends it with everything that it started. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './freePort.ts';
import { installEmulator } from './installEmulator.ts';

export interface Emulator {
  url: string;
  port: number;
  /** What LocalStack printed, and what functions did. */
  logFile: string;
  lambdaLogFile: string;
  stop(): Promise<void>;
}

export interface EmulatorOptions {
  port?: number;
  /** Variables that every Lambda function gets on top of its own. */
  lambdaEnv?: Record<string, string>;
  /** Processes of one function at once, at most. */
  lambdaProcesses?: number;
}

const START_MS = 90_000;
const STOP_MS = 20_000;

/** Each run has a root of its own, so that two may run side by side; only the installed libraries are shared. */
function makeRoot(libraries: string): string {
  const root = mkdtempSync(join(tmpdir(), 'aws-emulator-'));
  const volume = join(root, 'var', 'lib', 'localstack');
  mkdirSync(volume, { recursive: true });
  mkdirSync(join(root, 'temporary'));
  symlinkSync(libraries, join(volume, 'lib'));
  return root;
}

function environment(root: string, port: number, options: EmulatorOptions): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(AWS_|LAMBDA_|NODE_OPTIONS|VITEST)/.test(name));
  return {
    ...Object.fromEntries(inherited),
    OVERRIDE_IN_DOCKER: '0',
    FILESYSTEM_ROOT: root,
    TMPDIR: join(root, 'temporary'),
    GATEWAY_LISTEN: `127.0.0.1:${port}`,
    // The default gateway listens on every address.
    GATEWAY_SERVER: 'hypercorn',
    DNS_ADDRESS: '0',
    DISABLE_EVENTS: '1',
    SKIP_SSL_CERT_DOWNLOAD: '1',
    DYNAMODB_IN_MEMORY: '1',
    S3_SKIP_SIGNATURE_VALIDATION: '0',
    LAMBDA_KEEPALIVE_MS: '600000',
    LAMBDA_NODE: process.execPath,
    LAMBDA_LOG: join(root, 'lambda.log'),
    LAMBDA_ENV: JSON.stringify(options.lambdaEnv ?? {}),
    LAMBDA_PROCESSES: String(options.lambdaProcesses ?? 24),
  };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function waitUntilReady(child: ChildProcess, url: string, logFile: string): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline && !hasEnded(child)) {
    const reply = await fetch(`${url}/_localstack/health`, { signal: AbortSignal.timeout(5_000) }).catch(
      () => undefined,
    );
    if (reply?.ok) return;
    await sleep(200);
  }
  const tail = readFileSync(logFile, 'utf8').split('\n').slice(-15).join('\n');
  throw new Error(`The emulator did not start.\n${tail}`);
}

/** The emulator leads a process group of its own (DynamoDB's engine, functions), which ends with it. */
async function stop(child: ChildProcess): Promise<void> {
  const group = child.pid;
  if (group === undefined) return;
  const deadline = Date.now() + STOP_MS;
  child.kill('SIGTERM');
  while (!hasEnded(child) && Date.now() < deadline) await sleep(100);
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // The whole group has ended already.
  }
}

export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const installation = await installEmulator();
  const port = options.port ?? (await freePort());
  const root = makeRoot(installation.libraries);
  const logFile = join(root, 'localstack.log');
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, 'a');
  const child = spawn(installation.python, [join(import.meta.dirname, 'emulator.py')], {
    env: environment(root, port, options),
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  const endNow = () => {
    if (child.pid !== undefined && !hasEnded(child)) process.kill(-child.pid, 'SIGKILL');
  };
  process.once('exit', endNow);
  const emulator: Emulator = {
    url: `http://127.0.0.1:${port}`,
    port,
    logFile,
    lambdaLogFile: join(root, 'lambda.log'),
    stop: async () => {
      await stop(child);
      process.off('exit', endNow);
      rmSync(root, { recursive: true, force: true });
    },
  };
  try {
    await waitUntilReady(child, emulator.url, logFile);
  } catch (error) {
    await emulator.stop();
    throw error;
  }
  return emulator;
}
