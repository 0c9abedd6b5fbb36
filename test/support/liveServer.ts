/** The real server as a child process, on a free port and a data folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { root } from './imports.ts';
import { makeFolder } from './temporaryFolder.ts';

export interface LiveServer {
  url: string;
  /** Undefined where the data folder had a key already. */
  key: string | undefined;
  /** The address that it says to open. */
  opens: string;
  pid: number;
  dataDir: string;
  /** What it has written to standard error until now. */
  log(): string;
  /** Files under the data folder, but for the database's own. */
  files(): string[];
  /** Sends the signal and resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

const ENTRY = join(root, 'server', 'main.ts');

/** Starts it over `dataDir`, or over a fresh folder that `stop` removes. Rejects where it ends before it listens. */
export async function startServer(settings: Record<string, string> = {}, dataDir?: string): Promise<LiveServer> {
  const fresh = dataDir === undefined ? makeFolder() : undefined;
  const folder = dataDir ?? fresh?.path ?? '';
  const child = spawnServer({ PORT: '0', DATA_DIR: folder, ...settings });
  let log = '';
  child.stderr?.on('data', (chunk) => {
    log += String(chunk);
  });
  const { url, key, opens } = await announced(child, () => log);
  return {
    url,
    key,
    opens,
    pid: child.pid ?? 0,
    dataDir: folder,
    log: () => log,
    files: () => filesUnder(folder),
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit');
        child.kill(signal);
        await exited;
      }
      fresh?.remove();
      return child.exitCode;
    },
  };
}

/** A start that is meant to fail: its exit code and what it said. */
export async function failToStart(settings: Record<string, string>): Promise<{ code: number | null; said: string }> {
  const child = spawnServer(settings);
  const exited = once(child, 'exit');
  const said = child.stderr ? await text(child.stderr) : '';
  await exited;
  return { code: child.exitCode, said };
}

function spawnServer(settings: Record<string, string>): ChildProcess {
  const { PATH, NODE_COMPILE_CACHE, CHECK_MEMORY } = process.env;
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ENTRY], {
    env: { PATH, NODE_COMPILE_CACHE, CHECK_MEMORY, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The lines that the server prints: where it listens, its first key, and what to open, which is the last. */
function announced(child: ChildProcess, log: () => string): Promise<Pick<LiveServer, 'url' | 'key' | 'opens'>> {
  return new Promise((resolve, reject) => {
    if (!child.stdout) return reject(new Error('the server has no standard output'));
    let url = '';
    let key: string | undefined;
    child.once('exit', (code) => reject(new Error(`the server ended with ${code} before it listened:\n${log()}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      url = /^Listening on (http:\S+)$/.exec(line)?.[1] ?? url;
      key = /^API key \(shown once\): (\S+)$/.exec(line)?.[1] ?? key;
      const opens = /^Open (\S+)/.exec(line)?.[1];
      if (opens) resolve({ url, key, opens });
    });
  });
}

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(db|sqlite3?)(-\w+)?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
