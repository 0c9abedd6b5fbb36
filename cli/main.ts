import { SyntheticTables } from '../packages/client/client.ts';
import { VERSION } from '../packages/contract/version.ts';
import { createJsonLog } from '../server/jsonLog.ts';
import type { Log } from '../service/ports.ts';
import { EXIT, type ExitCode, exitOf } from './exitCodes.ts';
import { completion, help } from './help.ts';
import { make, sample } from './make.ts';
import type { Command, CompareCommand, MakeCommand, SampleCommand } from './parsedCommand.ts';
import { parseOptions } from './parseOptions.ts';

/** Ctrl-C arrives twice: from the terminal and from the parent program. */
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

type Runs = MakeCommand | SampleCommand | CompareCommand;

async function main(args: readonly string[]): Promise<ExitCode> {
  const command = parseOptions(args, process.env);
  if (command.kind === 'make' || command.kind === 'sample' || command.kind === 'compare') return run(command);
  process.stdout.write(printedText(command));
  return EXIT.done;
}

function printedText(command: Exclude<Command, Runs>): string {
  if (command.kind === 'help') return `${help(command.topic)}\n`;
  return command.kind === 'version' ? `${VERSION}\n` : completion(command.shell);
}

async function run(command: Runs): Promise<ExitCode> {
  stopOnSignals();
  const { signal } = stopping;
  const log = command.debug ? createJsonLog((line) => process.stderr.write(line)) : SILENT;
  if (command.kind === 'compare') {
    const { compareHere } = await import('./compare.ts');
    await compareHere(command, signal, log);
    return EXIT.done;
  }
  const { url, key } = command;
  if (command.kind === 'make' && url === null) {
    // Loading the models takes a second.
    const { makeHere } = await import('./makeHere.ts');
    await makeHere(command, signal, log);
    return EXIT.done;
  }
  const service = new SyntheticTables({ url: url ?? '', key: key ?? '' });
  await (command.kind === 'make' ? make(service, command, signal) : sample(service, command, signal));
  return EXIT.done;
}

const SILENT: Log = { info: () => undefined, error: () => undefined };

/** Stopped work may hold its threads for a while. */
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const { code, message } = exitOf(error);
  process.exitCode = stopping.signal.aborted ? EXIT.interrupted : code;
  const said = stopping.signal.aborted ? 'stopped' : message;
  process.stderr.write(`synth: ${said}\n`, () => process.exit());
}
