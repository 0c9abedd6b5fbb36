/** A job's container, as a process of its own: the real entry with the environment that Batch would give it. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

const JOB_ENTRY = join(root, 'gpu-job', 'main.ts');

export interface Container {
  pid: number;
  /** SIGTERM, and SIGKILL where that was not enough in `graceMs`. */
  stop(graceMs: number): void;
  kill(): void;
  ended: Promise<{ exitCode: number | undefined; output: string }>;
}

/** Docker's exit code for a process that a signal ended. */
const codeOf = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? (signal === 'SIGKILL' ? 137 : 143);

export function runContainer(environment: Record<string, string>, entry: string = JOB_ENTRY): Container {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry], {
    cwd: root,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-20_000);
    });
  const ended = new Promise<{ exitCode: number | undefined; output: string }>((resolve) => {
    child.on('error', (error) => resolve({ exitCode: undefined, output: String(error) }));
    child.on('close', (code, signal) => resolve({ exitCode: codeOf(code, signal), output }));
  });
  return {
    pid: child.pid ?? 0,
    stop: (graceMs) => {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      void ended.then(() => clearTimeout(timer));
    },
    kill: () => child.kill('SIGKILL'),
    ended,
  };
}
