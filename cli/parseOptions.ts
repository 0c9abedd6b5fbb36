import { parseArgs } from 'node:util';
import { ENCODINGS, type Encoding, encodingOf } from '../packages/contract/files.ts';
import { didYouMean } from '../packages/words/nearNames.ts';
import { meantCommand } from './commands.ts';
import {
  refuseContradictions,
  refuseEnding,
  refuseOneFileTwice,
  refuseTwoOutputs,
  refuseWithoutKey,
} from './contradictions.ts';
import { misuse, SEE_HELP } from './exitCodes.ts';
import { OPTIONS, type OptionName, type OptionRow, PROGRESS, SHELLS } from './optionTable.ts';
import {
  type Command,
  type CompareCommand,
  FAIL_ON,
  KEY_VARIABLE,
  type MakeCommand,
  type NamedRoles,
  type ResultOptions,
  SAMPLE,
  type SampleCommand,
  type ServiceOptions,
} from './parsedCommand.ts';
import { type Given, settingsOf } from './settings.ts';

type Values = Readonly<Partial<Record<string, string | boolean | (string | boolean)[]>>>;

const STANDARD_OUTPUT_FILE = 'synthetic_data.csv';

const given = (values: Values): Given => ({
  text: (name) => (typeof values[name] === 'string' ? values[name] : undefined),
  on: (name) => (values[name] === true ? true : undefined),
});

/** Values by option name; a switch is true or false. */
interface Options {
  values: Values;
  text(name: OptionName): string | null;
  on(name: OptionName): boolean;
}

const optionsOf = (values: Values): Options => ({
  values,
  text: (name) => given(values).text(name) ?? null,
  on: (name) => values[name] === true,
});

/** Throws CliError (usage). */
export function parseOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Command {
  const { values, positionals, faults } = split(args);
  const options = optionsOf(values);
  const { text, on } = options;
  if (on('help')) return { kind: 'help', topic: positionals[0] ?? null };
  const [fault] = faults;
  if (fault !== undefined) throw misuse(`${fault} ${SEE_HELP}`);
  if (on('version')) return { kind: 'version' };
  const shell = text('completion');
  if (shell !== null) return { kind: 'completion', shell: oneOf('completion', SHELLS, shell) ?? 'bash' };
  const common = commonOf(options, environment);
  const hasOperand = positionals.length > 1;
  if (hasOperand && positionals[0] === SAMPLE) return sampleOf(options, positionals, common);
  const tables = tablesOf(options);
  if (hasOperand && positionals[0] === COMPARE) return compareOf(options, positionals, { ...common, ...tables });
  return makeOf(options, positionals, { ...common, ...tables });
}

type Common = Omit<ResultOptions, 'output'> & ServiceOptions;

function commonOf({ text, on }: Options, environment: Readonly<Record<string, string | undefined>>): Common {
  return {
    report: text('report'),
    reportForSharing: text('share-report'),
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
}

type TableOptions = Pick<MakeCommand, 'roles' | 'encoding' | 'auto' | 'estimate'>;

const tablesOf = ({ values, text, on }: Options): TableOptions => ({
  roles: { ...rolesOf(values), target: text('target'), noTarget: on('no-target') },
  encoding: encodingGiven(text('encoding')),
  auto: on('auto'),
  estimate: on('estimate'),
});

function makeOf(
  { values, text, on }: Options,
  positionals: readonly string[],
  own: Common & TableOptions,
): MakeCommand {
  if (text('holdout') !== null)
    throw misuse('--holdout is of another command: synth compare REAL SYNTHETIC --holdout FILE.');
  const input = inputOf(positionals);
  const command: MakeCommand = {
    kind: 'make',
    input,
    output: text('output') ?? (input === '-' ? '-' : STANDARD_OUTPUT_FILE),
    ...own,
    inspect: on('inspect'),
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
  throw misuse(`--encoding takes one of ${ENCODINGS.join(', ')}; found ${JSON.stringify(text)}. ${SEE_HELP}`);
}

function oneOf<Value extends string>(name: OptionName, known: readonly Value[], given: string | null): Value | null {
  const value = known.find((one) => one === given);
  if (given === null || value !== undefined) return value ?? null;
  throw misuse(`--${name} must be one of ${known.join(', ')}; found ${JSON.stringify(given)}. ${SEE_HELP}`);
}

const OF_SAMPLES: readonly string[] = OPTIONS.filter((row: OptionRow) => row.sample).map(({ name }) => name);

function sampleOf(
  { values, text }: Options,
  [, jobId = '', ...more]: readonly string[],
  common: Common,
): SampleCommand {
  if (more.length > 0) throw misuse(`One job at a time: synth sample JOB. ${SEE_HELP}`);
  const other = Object.keys(values).find((name) => !OF_SAMPLES.includes(name));
  if (other !== undefined) {
    throw misuse(`--${other} cannot be used with sample: a sample has the roles and settings of its job.`);
  }
  if (common.url === null) {
    throw misuse('A sample is drawn by the service that has the job: use --url. Nothing is kept on this machine.');
  }
  const result = { ...common, output: text('output') ?? STANDARD_OUTPUT_FILE };
  refuseWithoutKey(result);
  refuseTwoOutputs(result);
  refuseOneFileTwice(result);
  refuseEnding(result);
  return { kind: SAMPLE, jobId, settings: settingsOf(given(values)), ...result };
}

const COMPARE = 'compare';
const OF_COMPARISONS: readonly string[] = OPTIONS.filter((row: OptionRow) => row.compare).map(({ name }) => name);

function compareOf(
  { values, text }: Options,
  [, real = '', ...synthetic]: readonly string[],
  own: Common & TableOptions,
): CompareCommand {
  if (synthetic.length === 0 || synthetic.length > 2) {
    const said = 'Name the real table and one or two synthetic ones: synth compare REAL SYNTHETIC [SYNTHETIC].';
    throw misuse(`${said} ${SEE_HELP}`);
  }
  const other = Object.keys(values).find((name) => !OF_COMPARISONS.includes(name));
  if (other !== undefined) throw misuse(`--${other} cannot be used with compare: the tables are there already.`);
  const { receipt: _receipt, url: _url, key: _key, queue: _queue, ...said } = own;
  const { seed = null } = settingsOf(given(values));
  return { kind: COMPARE, real, synthetic, seed, holdout: text('holdout'), ...said };
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
    args: [...args],
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const faults = tokens.flatMap((token) => (token.kind === 'option' ? (faultOf(token) ?? []) : []));
  return { values, positionals, faults };
}

interface OptionToken {
  name: string;
  /** As typed: "-n", "--rows". */
  rawName: string;
  value: string | undefined;
  inlineValue: boolean | undefined;
}

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
  if (input === undefined) throw misuse(`No input file. Try: synth data.csv --auto. ${SEE_HELP}`);
  if (more.length === 0) return input;
  throw misuse(
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
  throw misuse(
    `--url must be the address of a service, such as https://tables.example.org; found ${JSON.stringify(given)}.`,
  );
}
