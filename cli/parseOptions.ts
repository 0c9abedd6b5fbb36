/** The command line, checked. */
import { extname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ENCODINGS, type Encoding, encodingOf } from '../packages/contract/files.ts';
import type { Grade } from '../packages/contract/grades.ts';
import { OUTPUT_FORMAT_NAMES } from '../packages/tables/formats.ts';
import { didYouMean } from '../packages/words/nearNames.ts';
import { meantCommand } from './commands.ts';
import { CliError, EXIT } from './exitCodes.ts';
import {
  OPTIONS,
  type OptionName,
  type OptionRow,
  PROGRESS,
  type ProgressForm,
  SHELLS,
  type Shell,
} from './optionTable.ts';
import { type Given, type Settings, settingsOf } from './settings.ts';

/** Columns as they were named: each a name, or several with commas between. */
export interface NamedRoles {
  target: string | null;
  noTarget: boolean;
  continuous: readonly string[];
  categorical: readonly string[];
  text: readonly string[];
  ignore: readonly string[];
}

/** Where the rows go, what goes beside them and what is said. */
export interface ResultOptions {
  /** A path, or '-' for standard output. */
  output: string;
  /** Paths of what is written beside the table. */
  report: string | null;
  receipt: string | null;
  json: boolean;
  quiet: boolean;
  /** How progress is shown; null for what suits the terminal, or its absence. */
  progress: ProgressForm | null;
  /** The best grade of a verdict with which the program fails; null where none does. */
  failOn: FailOn | null;
}

/** Which service; without an address, this machine. */
export interface ServiceOptions {
  url: string | null;
  key: string | null;
  /** Whether a job waits for its turn where no slot is free. */
  queue: boolean;
  debug: boolean;
}

export interface MakeCommand extends ResultOptions, ServiceOptions {
  kind: 'make';
  /** A path, or '-' for standard input. */
  input: string;
  auto: boolean;
  inspect: boolean;
  /** Of a text file; undefined where it is UTF-8, or marked as UTF-16. */
  encoding: Encoding | undefined;
  estimate: boolean;
  roles: NamedRoles;
  settings: Settings;
  erase: boolean;
}

/** `synth sample JOB`: more rows from the model of a job of a service. */
export interface SampleCommand extends ResultOptions, ServiceOptions {
  kind: 'sample';
  jobId: string;
  settings: Pick<Settings, 'n_samples' | 'n_entities' | 'seed' | 'conditions'>;
}

/** `synth compare REAL SYNTHETIC [SYNTHETIC]`: tables that were made anywhere, judged. */
export interface CompareCommand extends Pick<ResultOptions, 'report' | 'json' | 'quiet' | 'progress' | 'failOn'> {
  kind: 'compare';
  real: string;
  /** One, or two beside each other. */
  synthetic: readonly string[];
  holdout: string | null;
  encoding: Encoding | undefined;
  auto: boolean;
  estimate: boolean;
  roles: NamedRoles;
  seed: number | null;
  debug: boolean;
}

export type Command =
  | MakeCommand
  | SampleCommand
  | CompareCommand
  | { kind: 'help'; topic: string | null }
  | { kind: 'version' }
  | { kind: 'completion'; shell: Shell };

type Values = Readonly<Partial<Record<string, string | boolean | (string | boolean)[]>>>;

export const KEY_VARIABLE = 'SYNTHETIC_TABLES_KEY';
const STANDARD_OUTPUT_FILE = 'synthetic_data.csv';
const SEE_HELP = 'See synth --help.';

const given = (values: Values): Given => ({
  text: (name) => (typeof values[name] === 'string' ? values[name] : undefined),
  on: (name) => (values[name] === true ? true : undefined),
});

/** Throws CliError (usage). */
export function parseOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Command {
  const { values, positionals, faults } = split(args);
  const text = (name: OptionName): string | null => (typeof values[name] === 'string' ? values[name] : null);
  const on = (name: OptionName): boolean => values[name] === true;
  if (on('help')) return { kind: 'help', topic: positionals[0] ?? null };
  const [fault] = faults;
  if (fault !== undefined) throw new CliError(EXIT.usage, `${fault} ${SEE_HELP}`);
  if (on('version')) return { kind: 'version' };
  const shell = text('completion');
  if (shell !== null) return { kind: 'completion', shell: oneOf('completion', SHELLS, shell) ?? 'bash' };

  const common = {
    report: text('report'),
    receipt: text('receipt'),
    json: on('json'),
    quiet: on('quiet'),
    progress: oneOf('progress', PROGRESS, text('progress')),
    failOn: oneOf('fail-on', FAIL_ON, text('fail-on')),
    url: urlOf(text('url')),
    key: text('key') ?? environment[KEY_VARIABLE] ?? null,
    queue: !on('no-queue'),
    debug: on('debug'),
  };
  if (positionals[0] === SAMPLE && positionals.length > 1) {
    return sampleOf(values, positionals, { ...common, output: text('output') ?? STANDARD_OUTPUT_FILE });
  }
  const roles = { ...rolesOf(values), target: text('target'), noTarget: on('no-target') };
  const encoding = encodingGiven(text('encoding'));
  if (positionals[0] === COMPARE && positionals.length > 1) {
    const own = { roles, encoding, auto: on('auto'), estimate: on('estimate'), holdout: text('holdout') };
    return compareOf(values, positionals, { ...common, ...own });
  }
  if (text('holdout') !== null)
    throw new CliError(EXIT.usage, `--holdout is of another command: synth compare REAL SYNTHETIC --holdout FILE.`);
  const input = inputOf(positionals);
  const command: MakeCommand = {
    kind: 'make',
    input,
    output: text('output') ?? (input === '-' ? '-' : STANDARD_OUTPUT_FILE),
    ...common,
    auto: on('auto'),
    inspect: on('inspect'),
    encoding,
    estimate: on('estimate'),
    roles,
    settings: settingsOf(given(values)),
    erase: on('erase'),
  };
  refuseContradictions(command);
  refuseEnding(command);
  return command;
}

function encodingGiven(text: string | null): Encoding | undefined {
  if (text === null) return undefined;
  const encoding = encodingOf(text);
  if (encoding) return encoding;
  throw new CliError(
    EXIT.usage,
    `--encoding takes one of ${ENCODINGS.join(', ')}; found ${JSON.stringify(text)}. ${SEE_HELP}`,
  );
}

const FAIL_ON = ['mixed', 'poor'] as const satisfies readonly Grade[];
type FailOn = (typeof FAIL_ON)[number];

/** The value of an option that takes one of a few. Throws CliError (usage). */
function oneOf<Value extends string>(name: OptionName, known: readonly Value[], given: string | null): Value | null {
  const value = known.find((one) => one === given);
  if (given === null || value !== undefined) return value ?? null;
  throw new CliError(
    EXIT.usage,
    `--${name} must be one of ${known.join(', ')}; found ${JSON.stringify(given)}. ${SEE_HELP}`,
  );
}

const SAMPLE = 'sample';
const OF_SAMPLES: readonly string[] = OPTIONS.filter((row: OptionRow) => row.sample).map(({ name }) => name);

function sampleOf(
  values: Values,
  [, jobId = '', ...more]: readonly string[],
  common: ResultOptions & ServiceOptions,
): SampleCommand {
  if (more.length > 0) throw new CliError(EXIT.usage, `One job at a time: synth sample JOB. ${SEE_HELP}`);
  const other = Object.keys(values).find((name) => !OF_SAMPLES.includes(name));
  if (other !== undefined) {
    throw new CliError(
      EXIT.usage,
      `--${other} cannot be used with sample: a sample has the roles and settings of its job.`,
    );
  }
  if (common.url === null) {
    throw new CliError(
      EXIT.usage,
      'A sample is drawn by the service that has the job: use --url. Nothing is kept on this machine.',
    );
  }
  refuseWithoutKey(common);
  refuseTwoOutputs(common);
  refuseOneFileTwice(common);
  refuseEnding(common);
  return { kind: 'sample', jobId, settings: settingsOf(given(values)), ...common };
}

const COMPARE = 'compare';
const OF_COMPARISONS: readonly string[] = OPTIONS.filter((row: OptionRow) => row.compare).map(({ name }) => name);

function compareOf(
  values: Values,
  [, real = '', ...synthetic]: readonly string[],
  common: Omit<CompareCommand, 'kind' | 'real' | 'synthetic' | 'seed'>,
): CompareCommand {
  if (synthetic.length === 0 || synthetic.length > 2) {
    const said = 'Name the real table and one or two synthetic ones: synth compare REAL SYNTHETIC [SYNTHETIC].';
    throw new CliError(EXIT.usage, `${said} ${SEE_HELP}`);
  }
  const other = Object.keys(values).find((name) => !OF_COMPARISONS.includes(name));
  if (other !== undefined)
    throw new CliError(EXIT.usage, `--${other} cannot be used with compare: the tables are there already.`);
  const { report, json, quiet, progress, failOn, debug, roles, encoding, auto, estimate, holdout } = common;
  const { seed = null } = settingsOf(given(values));
  const said = { report, json, quiet, progress, failOn, debug, roles, encoding, auto, estimate, holdout };
  return { kind: 'compare', real, synthetic, seed, ...said };
}

function split(args: readonly string[]): { values: Values; positionals: string[]; faults: string[] } {
  const options = Object.fromEntries(
    OPTIONS.map(({ name, short, value, many }: OptionRow) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        ...(short !== undefined && { short }),
        ...(many === true && { multiple: true }),
      },
    ]),
  );
  const { values, positionals, tokens } = parseArgs({
    ...{ args: [...args], options, allowPositionals: true, strict: false, tokens: true },
  });
  const faults = tokens.flatMap((token) => (token.kind === 'option' ? (faultOf(token) ?? []) : []));
  return { values, positionals, faults };
}

interface OptionToken {
  name: string;
  /** As it was typed: "-n", "--rows". */
  rawName: string;
  value: string | undefined;
  inlineValue: boolean | undefined;
}

/** Undefined where the option and its value are as the table has them. */
function faultOf({ name, rawName, value, inlineValue }: OptionToken): string | undefined {
  const row = OPTIONS.find((option: OptionRow) => option.name === name);
  if (!row) return `There is no option ${rawName}.${meant(name)}`;
  if (!('value' in row)) return value === undefined ? undefined : `${rawName} takes no value.`;
  if (value === undefined) return `${rawName} needs a value: ${rawName} ${row.value}.`;
  if (inlineValue || value === '-' || !value.startsWith('-')) return undefined;
  return `${rawName} needs a value, and ${value} looks like an option. Write --${name}=${value} if it is the value.`;
}

const meant = (name: string): string =>
  didYouMean(
    name,
    OPTIONS.map((option) => option.name),
    (known) => `--${known}`,
  );

function inputOf(positionals: readonly string[]): string {
  const [input, ...more] = positionals;
  if (input === undefined) throw new CliError(EXIT.usage, `Name the table: synth data.csv --auto. ${SEE_HELP}`);
  if (more.length === 0) return input;
  throw new CliError(
    EXIT.usage,
    `One table at a time; found ${positionals.map((name) => JSON.stringify(name)).join(' and ')}.${meantCommand(input)}`,
  );
}

function rolesOf(values: Values): Omit<NamedRoles, 'target' | 'noTarget'> {
  const list = (name: OptionName): string[] => {
    const given = values[name];
    return Array.isArray(given) ? given.filter((value) => typeof value === 'string') : [];
  };
  const [continuous, categorical] = [list('continuous'), list('categorical')];
  return { continuous, categorical, text: list('text'), ignore: list('ignore') };
}

function urlOf(given: string | null): string | null {
  if (given === null || (URL.canParse(given) && /^https?:$/.test(new URL(given).protocol))) return given;
  throw new CliError(
    EXIT.usage,
    `--url must be the address of a service, such as https://tables.example.org; found ${JSON.stringify(given)}.`,
  );
}

function refuseContradictions(command: MakeCommand): void {
  const { inspect, url, queue, erase, settings, roles } = command;
  refuseWithoutRoles(command);
  refuseWithoutKey(command);
  if (roles.noTarget && roles.target !== null)
    throw new CliError(EXIT.usage, '--target and --no-target contradict each other: use one of them.');
  if (url === null && erase) throw new CliError(EXIT.usage, '--erase needs --url: nothing is kept on this machine.');
  if (url === null && !queue) throw new CliError(EXIT.usage, '--no-queue needs --url: this machine has no queue.');
  if (url === null && settings.callback_url !== undefined)
    throw new CliError(EXIT.usage, '--callback needs --url: a service calls the address, and this is none.');
  if (!inspect) refuseTwoOutputs(command);
  refuseOneFileTwice(command);
}

function refuseWithoutRoles({ auto, inspect, roles, input, settings }: MakeCommand): void {
  const named =
    roles.target !== null || [roles.continuous, roles.categorical, roles.text].some((list) => list.length > 0);
  // A domain says of each of its columns what it is.
  if (auto || inspect || named || settings.domain) return;
  if (input === SAMPLE) throw new CliError(EXIT.usage, `Name the job: synth sample JOB --url URL. ${SEE_HELP}`);
  throw new CliError(
    EXIT.usage,
    'Give the columns roles: --auto uses the suggested ones; --target, --continuous, --categorical and --text name columns; --inspect shows them first.',
  );
}

function refuseWithoutKey({ url, key }: ServiceOptions): void {
  if (url === null || key !== null) return;
  throw new CliError(EXIT.usage, `--url needs a key: set ${KEY_VARIABLE}, or use --key.`);
}

/** A file whose ending promises another format would be CSV. */
function refuseEnding({ output }: ResultOptions): void {
  const ending = extname(output).toLowerCase();
  const known = ['', '.csv', ...OUTPUT_FORMAT_NAMES.map((name) => `.${name}`)];
  if (known.includes(ending)) return;
  throw new CliError(
    EXIT.usage,
    `-o ${JSON.stringify(output)}: a table cannot be written as ${ending}. Use ${known
      .slice(1)
      .join(', ')
      .replace(/, (?=\S+$)/, ' or ')}.`,
  );
}

/** One would be written over the other. */
function refuseOneFileTwice({ output, report, receipt, ...command }: ResultOptions & { input?: string }): void {
  const said = { '-o': output, '--report': report, '--receipt': receipt };
  const paths = Object.entries(said).flatMap(([option, path]) => (path === null ? [] : [{ option, path }]));
  if (command.input !== undefined && command.input !== '-') {
    const hit = paths.find(({ path }) => resolve(path) === resolve(command.input ?? ''));
    if (hit)
      throw new CliError(
        EXIT.usage,
        `${hit.option} would replace the table ${JSON.stringify(command.input)}: name another file.`,
      );
  }
  const twice = paths.find(({ path }, at) => paths.findIndex((other) => resolve(other.path) === resolve(path)) < at);
  if (twice) throw new CliError(EXIT.usage, `${twice.option} names a file that another option names, too.`);
}

function refuseTwoOutputs({ json, output }: ResultOptions): void {
  if (!json || output !== '-') return;
  throw new CliError(EXIT.usage, '--json and the table cannot both go to standard output: use -o FILE.');
}
