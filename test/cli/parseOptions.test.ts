import { describe, expect, it } from 'vitest';
import { CliError, EXIT } from '../../cli/exitCodes.ts';
import { type MakeCommand, parseOptions } from '../../cli/parseOptions.ts';

const parse = (...args: string[]) => parseOptions(args, { SYNTHETIC_TABLES_KEY: 'from-environment' });

function made(...args: string[]): MakeCommand {
  const command = parse(...args);
  if (command.kind !== 'make') throw new Error(`not a command that makes: ${command.kind}`);
  return command;
}

function refusal(...args: string[]): string {
  try {
    parse(...args);
  } catch (error) {
    if (error instanceof CliError && error.exitCode === EXIT.usage) return error.message;
    throw error;
  }
  throw new Error(`accepted: ${args.join(' ')}`);
}

describe('parseOptions', () => {
  it('reads every option, long and short', () => {
    const long = made(
      ...['data.csv', '--auto', '--target', 'y', '--output', 'o.csv', '--rows', '5', '--seed', '7', '--quiet'],
    );
    expect(made('-a', '-t', 'y', '-o', 'o.csv', '-n', '5', '-s', '7', '-q', 'data.csv')).toEqual(long);
    expect(long).toMatchObject({
      ...{ input: 'data.csv', output: 'o.csv', auto: true, quiet: true },
      settings: { n_samples: 5, seed: 7 },
      roles: { target: 'y' },
    });
    const settings = made(
      ...[
        'd.csv',
        '--auto',
        '--draws',
        '100',
        '--tune',
        '200',
        '--text-epochs',
        '2',
        ...['--temperature', '.7', '--nucleus', '0.9'],
        '--family',
        'gamma',
        ...['--keep-rare', '--allow-few-rows'],
      ],
    ).settings;
    expect(settings).toEqual({
      ...{ draws: 100, tune: 200, text_epochs: 2, text_temperature: 0.7, text_nucleus: 0.9 },
      ...{ family: 'gamma', keep_rare: true, allow_few_rows: true },
    });
  });

  it('sends nothing that was not asked for: the service has its own defaults', () => {
    expect(made('d.csv', '--auto').settings).toEqual({});
  });

  it('keeps every value of an option that is given several times', () => {
    expect(made('d.csv', '--continuous', 'a,b', '--continuous', 'c', '--text=t').roles).toMatchObject({
      continuous: ['a,b', 'c'],
      text: ['t'],
    });
  });

  it('writes to standard output what comes from standard input, unless told otherwise', () => {
    expect(made('-', '--auto').output).toBe('-');
    expect(made('-', '--auto', '-o', 'x.csv').output).toBe('x.csv');
    expect(made('data.csv', '--auto').output).toBe('synthetic_data.csv');
  });

  it('takes the key from the environment where none is given', () => {
    expect(made('d.csv', '--auto', '--url', 'https://x.example').key).toBe('from-environment');
    expect(made('d.csv', '--auto', '--url', 'https://x.example', '--key', 'k').key).toBe('k');
  });

  it.each([
    [[], /Name the table/],
    [['a.csv', 'b.csv', '--auto'], /One table at a time/],
    [['a.csv'], /--auto .*--inspect/],
    [['a.csv', '--ignore', 'x'], /--auto .*--inspect/],
    [['a.csv', '--colour'], /--colour.*--help/],
    [['a.csv', '--raws', '5'], /no option --raws\. Did you mean --rows\?/],
    [['a.csv', '--auto', '-o', 'copy.pdf'], /cannot be written as \.pdf\. Use \.csv, /],
    [['a.csv', '--target'], /--target needs a value: --target COLUMN/],
    [['a.csv', '-t', '--auto'], /-t needs a value, and --auto looks like an option/],
    [['a.csv', '--auto=yes'], /--auto takes no value/],
    [['a.csv', '--auto', '-z'], /no option -z/],
    [['a.csv', '--auto', '--rows', '1e3'], /--rows must be a whole number; found "1e3"/],
    [['a.csv', '--auto', '--seed', '-1'], /seed/],
    [['a.csv', '--auto', '--url', 'tables.example'], /--url must be the address/],
    [['a.csv', '--auto', '--erase'], /--url/],
    [['a.csv', '--auto', '--json', '-o', '-'], /-o FILE/],
    [['a.csv', '--auto', '-o', 'a.csv'], /would replace/],
    [['--completion', 'tcsh'], /bash, zsh, fish/],
    [['a.csv', '--auto', '--fail-on', 'good'], /--fail-on takes mixed or poor; found "good"/],
  ])('refuses %j, saying what to do', (args, said) => {
    expect(refusal(...args)).toMatch(said);
  });

  it('reads what a sample of a job is to be', () => {
    const at = ['--url', 'https://x.example'];
    expect(parse('sample', 'j1', ...at, '-n', '9', '-s', '3', '-o', 'm.parquet', '-q')).toMatchObject({
      ...{ kind: 'sample', jobId: 'j1', rows: 9, seed: 3, output: 'm.parquet', quiet: true, key: 'from-environment' },
    });
    expect(parse('sample', 'j1', ...at)).toMatchObject({ rows: null, seed: null, output: 'synthetic_data.csv' });
    expect(made('sample', '--auto').input).toBe('sample');
    expect(refusal('sample', 'j1')).toMatch(/--url/);
    expect(refusal('sample', 'j1', 'j2', ...at)).toMatch(/One job at a time/);
    expect(refusal('sample', 'j1', ...at, '--auto')).toMatch(/--auto cannot be used with sample/);
    expect(refusal('sample', 'j1', ...at, '--json', '-o', '-')).toMatch(/-o FILE/);
    expect(() => parseOptions(['sample', 'j1', ...at], {})).toThrow(/SYNTHETIC_TABLES_KEY/);
  });

  it('asks for a key where a service is named', () => {
    expect(() => parseOptions(['a.csv', '--auto', '--url', 'https://x.example'], {})).toThrow(/SYNTHETIC_TABLES_KEY/);
  });
});
