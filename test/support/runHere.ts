/**
 * A program of the project run in this process, for tests of what it says and does: one of its own takes half a second of a core
 * to load its code. The entry runs anew, its other modules are those of this process.
 */
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { vi } from 'vitest';

interface Surroundings {
  cwd: string;
  /** Its standard input. */
  input?: string | Uint8Array;
  /** Beside the environment of this process. */
  env?: Readonly<Record<string, string>>;
}

class Exit extends Error {}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

let runs = 0;

/** Runs it to its end. One after the other: arguments, folder, environment and output are those of the whole process. */
export async function runHere(entry: string, args: readonly string[], { cwd, input = '', env = {} }: Surroundings) {
  const before = stateOfProcess();
  const [out, err] = [record(process.stdout), record(process.stderr)];
  const printed = [
    vi.spyOn(console, 'log').mockImplementation((line) => void process.stdout.write(`${line}\n`)),
    vi.spyOn(console, 'error').mockImplementation((line) => void process.stderr.write(`${line}\n`)),
  ];
  const stdin = vi.spyOn(process, 'stdin', 'get');
  stdin.mockReturnValue(Object.assign(Readable.from([Buffer.from(input)]), { fd: 0 as const, isTTY: false }) as never);
  const exit = vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Exit(String(code ?? process.exitCode ?? 0));
  });
  process.argv = [process.execPath, entry, ...args];
  process.exitCode = undefined;
  Object.assign(process.env, env);
  process.chdir(cwd);
  try {
    const ended = import(`${pathToFileURL(entry)}?run=${++runs}`).then(() => process.exitCode ?? 0);
    const code = await ended.catch((error: unknown) => {
      if (error instanceof Exit) return error.message;
      throw error;
    });
    return { code: Number(code), out: out.text(), err: err.text() };
  } finally {
    for (const spy of [out.spy, err.spy, ...printed, stdin, exit]) spy.mockRestore();
    before.restore();
  }
}

function record(stream: NodeJS.WriteStream) {
  let text = '';
  const spy = vi.spyOn(stream, 'write').mockImplementation((chunk: unknown, ...more: unknown[]) => {
    text += chunk instanceof Uint8Array ? Buffer.from(chunk).toString() : String(chunk);
    for (const done of more) if (typeof done === 'function') done();
    return true;
  });
  return { spy, text: () => text };
}

function stateOfProcess() {
  const [argv, exitCode, env, cwd, umask] = [
    process.argv,
    process.exitCode,
    { ...process.env },
    process.cwd(),
    process.umask(),
  ];
  const listeners = SIGNALS.map((signal) => ({ signal, known: process.listeners(signal) }));
  return {
    restore() {
      process.argv = argv;
      process.exitCode = exitCode;
      for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
      Object.assign(process.env, env);
      process.chdir(cwd);
      process.umask(umask);
      for (const { signal, known } of listeners) {
        for (const each of process.listeners(signal)) if (!known.includes(each)) process.off(signal, each);
      }
    },
  };
}
