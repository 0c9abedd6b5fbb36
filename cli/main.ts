/** `synth`: a synthetic copy of a table, from the shell. */
import { SyntheticTables } from '../client/client.ts';
import type { Log } from '../domain/ports.ts';
import packageJson from '../package.json' with { type: 'json' };
import { createJsonLog } from '../server/jsonLog.ts';
import { completion } from './completion.ts';
import { EXIT, type ExitCode } from './exitCodes.ts';
import { exitOf } from './exitOf.ts';
import { help } from './help.ts';
import { make } from './make.ts';
import { type OpenedService, openLocal } from './openLocal.ts';
import { type Command, type MakeCommand, parseOptions, type SampleCommand } from './parseOptions.ts';
import { sample } from './sample.ts';

/** Ctrl-C comes twice: from the terminal, and passed on by the program that started this one. */
const SAME_SIGNAL_MS = 1000;

const stopping = new AbortController();

function stopOnSignals(): void {
  let since: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (since !== undefined && performance.now() - since > SAME_SIGNAL_MS) process.exit(EXIT.interrupted);
      since ??= performance.now();
      stopping.abort();
    });
  }
}

type Runs = MakeCommand | SampleCommand;

async function main(args: readonly string[]): Promise<ExitCode> {
  const command = parseOptions(args, process.env);
  if (command.kind === 'make' || command.kind === 'sample') return run(command);
  process.stdout.write(textOf(command));
  return EXIT.done;
}

function textOf(command: Exclude<Command, Runs>): string {
  if (command.kind === 'help') return `${help()}\n`;
  return command.kind === 'version' ? `${packageJson.version}\n` : completion(command.shell);
}

async function run(command: Runs): Promise<ExitCode> {
  stopOnSignals();
  const { service, close } = await open(command);
  try {
    await (command.kind === 'make'
      ? make(service, command, stopping.signal)
      : sample(service, command, stopping.signal));
    return EXIT.done;
  } finally {
    await close();
  }
}

async function open({ url, key, debug }: Runs): Promise<OpenedService> {
  if (url === null) return openLocal(debug ? createJsonLog((line) => process.stderr.write(line)) : SILENT);
  return { service: new SyntheticTables({ url, key: key ?? '' }), close: async () => undefined };
}

const SILENT: Log = { info: () => undefined, error: () => undefined };

/** Not `process.exit`: what was written to a pipe has to arrive first. */
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const { code, message } = exitOf(error);
  process.exitCode = stopping.signal.aborted ? EXIT.interrupted : code;
  process.stderr.write(stopping.signal.aborted ? 'synth: stopped\n' : `synth: ${message}\n`);
}
