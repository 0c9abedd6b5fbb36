/** The command line, checked. */
import { extname } from 'node:path';
import { parseArgs } from 'node:util';
import { ENCODINGS, type Encoding, encodingOf } from '../packages/contract/files.ts';
import type { Grade } from '../packages/contract/verdicts.ts';
import { OUTPUT_FORMAT_NAMES } from '../packages/tables/formats.ts';
import { didYouMean } from '../packages/words/nearNames.ts';
import { listed } from '../packages/words/wording.ts';
import { CliError, EXIT } from './exitCodes.ts';
import { OPTIONS, type OptionName, type OptionRow, SHELLS, type Shell } from './optionTable.ts';

/** Columns as they were named: each a name, or several with commas between. */
export interface NamedRoles {
  target: string | null;
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
  /** The best grade of a verdict with which the program fails; null where none does. */
  failOn: FailOn | null;
}

/** Which service; without an address, this machine. */
export interface ServiceOptions {
  url: string | null;
  key: string | null;
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
  /** Fields of POST /generate that are no roles; those left out are the service's own. */
  settings: Record<string, number | string | boolean>;
  erase: boolean;
}

/** `synth sample JOB`: more rows from the model of a job of a service. */
export interface SampleCommand extends ResultOptions, ServiceOptions {
  kind: 'sample';
  jobId: string;
  /** Null for the service's own. */
  rows: number | null;
  seed: number | null;
}

export type Command =
  | MakeCommand
  | SampleCommand
  | { kind: 'help' }
  | { kind: 'version' }
  | { kind: 'completion'; shell: Shell };

type Values = Readonly<Partial<Record<string, string | boolean | (string | boolean)[]>>>;

export const KEY_VARIABLE = 'SYNTHETIC_TABLES_KEY';
const STANDARD_OUTPUT_FILE = 'synthetic_data.csv';
const SEE_HELP = 'See synth --help.';

/** Throws CliError (usage). */
export function parseOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Command {
  const { values, positionals } = split(args);
  const text = (name: OptionName): string | null => (typeof values[name] === 'string' ? values[name] : null);
  const on = (name: OptionName): boolean => values[name] === true;
  if (on('help')) return { kind: 'help' };
  if (on('version')) return { kind: 'version' };
  const shell = text('completion');
  if (shell !== null) return { kind: 'completion', shell: shellOf(shell) };

  const common = {
    report: text('report'),
    receipt: text('receipt'),
    json: on('json'),
    quiet: on('quiet'),
    failOn: failOnOf(text('fail-on')),
    url: urlOf(text('url')),
    key: text('key') ?? environment[KEY_VARIABLE] ?? null,
    debug: on('debug'),
  };
  if (positionals[0] === SAMPLE && positionals.length > 1) {
    return sampleOf(values, positionals, { ...common, output: text('output') ?? STANDARD_OUTPUT_FILE });
  }
  const input = inputOf(positionals);
  const command: MakeCommand = {
    kind: 'make',
    input,
    output: text('output') ?? (input === '-' ? '-' : STANDARD_OUTPUT_FILE),
    ...common,
    auto: on('auto'),
    inspect: on('inspect'),
    encoding: encodingGiven(text('encoding')),
    estimate: on('estimate'),
    roles: rolesOf(values, text('target')),
    settings: settingsOf(values),
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

function failOnOf(text: string | null): FailOn | null {
  const grade = FAIL_ON.find((known) => known === text);
  if (text !== null && grade === undefined)
    throw new CliError(
      EXIT.usage,
      `--fail-on takes ${FAIL_ON.join(' or ')}; found ${JSON.stringify(text)}. ${SEE_HELP}`,
    );
  return grade ?? null;
}

const SAMPLE = 'sample';
const OF_SAMPLES: readonly string[] = [
  ...['rows', 'seed', 'output', 'report', 'receipt', 'url', 'key', 'json', 'quiet', 'debug', 'fail-on'],
];

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
  refuseEnding(common);
  const { n_samples, seed } = settingsOf(values);
  return {
    kind: 'sample',
    jobId,
    rows: typeof n_samples === 'number' ? n_samples : null,
    seed: typeof seed === 'number' ? seed : null,
    ...common,
  };
}

function split(args: readonly string[]): { values: Values; positionals: string[] } {
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
  for (const token of tokens) {
    const fault = token.kind === 'option' ? faultOf(token) : undefined;
    if (fault !== undefined) throw new CliError(EXIT.usage, `${fault} ${SEE_HELP}`);
  }
  return { values, positionals };
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
    `One table at a time; found ${positionals.map((name) => JSON.stringify(name)).join(' and ')}.`,
  );
}

function shellOf(name: string): Shell {
  const shell = SHELLS.find((known) => known === name);
  if (shell) return shell;
  throw new CliError(EXIT.usage, `--completion must be one of ${SHELLS.join(', ')}; found ${JSON.stringify(name)}.`);
}

function rolesOf(values: Values, target: string | null): NamedRoles {
  const list = (name: OptionName): string[] => {
    const given = values[name];
    return Array.isArray(given) ? given.filter((value) => typeof value === 'string') : [];
  };
  const [continuous, categorical, text, ignore] = [
    list('continuous'),
    list('categorical'),
    list('text'),
    list('ignore'),
  ];
  return { target, continuous, categorical, text, ignore };
}

/** By option, the field of POST /generate. */
const WHOLE_NUMBERS: readonly [OptionName, field: string][] = [
  ['rows', 'n_samples'],
  ['seed', 'seed'],
  ['draws', 'draws'],
  ['tune', 'tune'],
  ['text-epochs', 'text_epochs'],
];
const DECIMALS: readonly [OptionName, field: string][] = [
  ['temperature', 'text_temperature'],
  ['nucleus', 'text_nucleus'],
];
const KINDS = [
  { options: WHOLE_NUMBERS, form: /^\d{1,16}$/, words: 'a whole number' },
  { options: DECIMALS, form: /^\d{0,3}\.?\d{1,16}$/, words: 'a number' },
];

function settingsOf(values: Values): MakeCommand['settings'] {
  const settings: MakeCommand['settings'] = {};
  for (const { options, form, words } of KINDS) {
    for (const [name, field] of options) {
      const given = values[name];
      if (typeof given !== 'string') continue;
      if (!form.test(given)) {
        throw new CliError(EXIT.usage, `--${name} must be ${words}; found ${JSON.stringify(given)}.`);
      }
      settings[field] = Number(given);
    }
  }
  if (typeof values.family === 'string') settings.family = values.family;
  if (values['keep-rare'] === true) settings.keep_rare = true;
  if (values['allow-few-rows'] === true) settings.allow_few_rows = true;
  return settings;
}

function urlOf(given: string | null): string | null {
  if (given === null || (URL.canParse(given) && /^https?:$/.test(new URL(given).protocol))) return given;
  throw new CliError(
    EXIT.usage,
    `--url must be the address of a service, such as https://tables.example.org; found ${JSON.stringify(given)}.`,
  );
}

function refuseContradictions(command: MakeCommand): void {
  const { auto, inspect, roles, url, erase, input, output } = command;
  const named =
    roles.target !== null || [roles.continuous, roles.categorical, roles.text].some((list) => list.length > 0);
  if (!auto && !inspect && !named) {
    throw new CliError(
      EXIT.usage,
      'Give the columns roles: --auto uses the suggested ones; --target, --continuous, --categorical and --text name columns; --inspect shows them first.',
    );
  }
  refuseWithoutKey(command);
  if (url === null && erase) throw new CliError(EXIT.usage, '--erase needs --url: nothing is kept on this machine.');
  if (!inspect) refuseTwoOutputs(command);
  if (input !== '-' && input === output) {
    throw new CliError(EXIT.usage, `The result would replace the table ${JSON.stringify(input)}: use another -o FILE.`);
  }
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
    `-o ${JSON.stringify(output)}: a table cannot be written as ${ending}. Use ${listed(known.slice(1))}.`,
  );
}

function refuseTwoOutputs({ json, output }: ResultOptions): void {
  if (!json || output !== '-') return;
  throw new CliError(EXIT.usage, '--json and the table cannot both go to standard output: use -o FILE.');
}
