/** Checks combinations of options. Each function throws CliError (usage). */
import { extname, resolve } from 'node:path';
import { OUTPUT_FORMAT_NAMES } from '../packages/tables/formats.ts';
import { misuse, SEE_HELP } from './exitCodes.ts';
import { KEY_VARIABLE, type MakeCommand, type ResultOptions, SAMPLE, type ServiceOptions } from './parsedCommand.ts';

export function refuseContradictions(command: MakeCommand): void {
  const { inspect, url, queue, erase, settings, roles } = command;
  refuseWithoutRoles(command);
  refuseWithoutKey(command);
  if (roles.noTarget && roles.target !== null)
    throw misuse('--target and --no-target contradict each other: use one of them.');
  if (url === null && erase) throw misuse('--erase needs --url: nothing is kept on this machine.');
  if (url === null && !queue) throw misuse('--no-queue needs --url: this machine has no queue.');
  if (url === null && settings.callback_url !== undefined)
    throw misuse('--callback needs --url: a service calls the address, and this is none.');
  if (command.reportForSharing !== null && !settings.privacy)
    throw misuse(
      '--share-report needs --epsilon and --domain: without differential privacy every report has figures of real rows, which --report writes.',
    );
  if (!inspect) refuseTwoOutputs(command);
  refuseOneFileTwice(command);
}

function refuseWithoutRoles({ auto, inspect, roles, input, settings }: MakeCommand): void {
  const named =
    roles.target !== null || [roles.continuous, roles.categorical, roles.text].some((list) => list.length > 0);
  // A domain already defines its columns.
  if (auto || inspect || named || settings.domain) return;
  if (input === SAMPLE) throw misuse(`Name the job: synth sample JOB --url URL. ${SEE_HELP}`);
  throw misuse(
    'Give the columns roles: --auto uses the suggested ones; --target, --continuous, --categorical and --text name columns; --inspect shows them first.',
  );
}

export function refuseWithoutKey({ url, key }: ServiceOptions): void {
  if (url === null || key !== null) return;
  throw misuse(`--url needs a key: set ${KEY_VARIABLE}, or use --key.`);
}

/** The result would be CSV under another extension. */
export function refuseEnding({ output }: ResultOptions): void {
  const ending = extname(output).toLowerCase();
  const known = ['', '.csv', ...OUTPUT_FORMAT_NAMES.map((name) => `.${name}`)];
  if (known.includes(ending)) return;
  throw misuse(
    `-o ${JSON.stringify(output)}: a table cannot be written as ${ending}. Use ${known
      .slice(1)
      .join(', ')
      .replace(/, (?=\S+$)/, ' or ')}.`,
  );
}

/** One file would overwrite the other. */
export function refuseOneFileTwice(command: ResultOptions & { input?: string }): void {
  const said = {
    '-o': command.output,
    '--report': command.report,
    '--share-report': command.reportForSharing,
    '--receipt': command.receipt,
  };
  const paths = Object.entries(said).flatMap(([option, path]) => (path === null ? [] : [{ option, path }]));
  if (command.input !== undefined && command.input !== '-') {
    const hit = paths.find(({ path }) => resolve(path) === resolve(command.input ?? ''));
    if (hit) throw misuse(`${hit.option} would replace the table ${JSON.stringify(command.input)}: name another file.`);
  }
  const twice = paths.find(({ path }, at) => paths.findIndex((other) => resolve(other.path) === resolve(path)) < at);
  if (twice) throw misuse(`${twice.option} names a file that another option names, too.`);
}

export function refuseTwoOutputs({ json, output }: ResultOptions): void {
  if (!json || output !== '-') return;
  throw misuse('--json and the table cannot both go to standard output: use -o FILE.');
}
