import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface RunningService {
  pid: number;
  url: string;
  key: string;
  stop(): Promise<void>;
}

/** A new folder gives a new key. Rejects if the service ends before it listens. */
export async function startService(folder: string, logPath: string): Promise<RunningService> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', '..', 'server', 'main.ts')], {
    env: { ...process.env, PORT: '0', HOST: '127.0.0.1', DATA_DIR: folder },
    stdio: ['ignore', 'pipe', openSync(logPath, 'a')],
  });
  const { url, key } = await readAnnouncement(child, logPath);
  return { pid: child.pid ?? 0, url, key, stop: () => stop(child) };
}

function readAnnouncement(child: ChildProcess, logPath: string): Promise<{ url: string; key: string }> {
  return new Promise((resolve, reject) => {
    let url = '';
    let key = '';
    child.on('exit', (code) =>
      reject(new Error(`The service ended with code ${code} before it listened; its log is ${logPath}`)),
    );
    if (!child.stdout) return reject(new Error('The service has no standard output.'));
    createInterface({ input: child.stdout }).on('line', (line) => {
      url = /^Listening on (\S+)$/.exec(line)?.[1] ?? url;
      key = /^API key \(shown once\): (\S+)$/.exec(line)?.[1] ?? key;
      if (url && key) resolve({ url, key });
    });
  });
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
