import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CliError, EXIT } from '../../cli/exitCodes.ts';
import type { MakeCommand } from '../../cli/parsedCommand.ts';
import { parseOptions } from '../../cli/parseOptions.ts';
import { makeFolder } from '../support/temporaryFolder.ts';

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
      'data.csv',
      '--auto',
      '--target',
      'y',
      '--output',
      'o.csv',
      '--rows',
      '5',
      '--seed',
      '7',
      '--quiet',
    );
    expect(made('-a', '-t', 'y', '-o', 'o.csv', '-n', '5', '-s', '7', '-q', 'data.csv')).toEqual(long);
    expect(long).toMatchObject({
      input: 'data.csv',
      output: 'o.csv',
      auto: true,
      quiet: true,
      settings: { n_samples: 5, seed: 7 },
      roles: { target: 'y' },
    });
    const settings = made(
      'd.csv',
      '--auto',
      '--draws',
      '100',
      '--tune',
      '200',
      '--text-epochs',
      '2',
      '--temperature',
      '.7',
      '--nucleus',
      '0.9',
      '--family',
      'gamma',
      '--sampler',
      'nuts',
      '--no-calibrate',
      '--keep-rare',
      '--allow-few-rows',
    ).settings;
    expect(settings).toEqual({
      draws: 100,
      tune: 200,
      text_epochs: 2,
      text_temperature: 0.7,
      text_nucleus: 0.9,
      family: 'gamma',
      sampler: 'nuts',
      calibrate: false,
      keep_rare: true,
      allow_few_rows: true,
    });
  });

  it('writes a report for sharing of a private table alone', () => {
    expect(refusal('d.csv', '--auto', '--share-report', 'r.html')).toContain('--share-report needs --epsilon');
    const domain = '{"age": {"min": 0, "max": 99}}';
    const shared = made('d.csv', '--epsilon', '1', '--domain', domain, '--share-report', 'r.html');
    expect(shared).toMatchObject({ reportForSharing: 'r.html', report: null });
    expect(refusal('d.csv', '--epsilon', '1', '--domain', domain, '--share-report', 'r', '--report', 'r')).toContain(
      'names a file that another option names',
    );
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
    [[], /No input file/],
    [['a.csv', 'b.csv', '--auto'], /One table at a time/],
    [['a.csv'], /--auto .*--inspect/],
    [['a.csv', '--ignore', 'x'], /--auto .*--inspect/],
    [['a.csv', '--colour'], /--colour.*--help/],
    [['a.csv', '--auot'], /no option --auot\. Did you mean --auto\?/],
    [['a.csv', '--raws', '5'], /no option --raws\. Did you mean --rows\?/],
    [['a.csv', '--auto', '-o', 'copy.pdf'], /cannot be written as \.pdf\. Use \.csv, .* or \.jsonl\./],
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
    [['a.csv', '--auto', '--fail-on', 'good'], /--fail-on must be one of mixed, poor; found "good"/],
    [['a.csv', '--auto', '--progress', 'much'], /--progress must be one of bar, stages, lines, none/],
    [['a.csv', '--auto', '--family', 'gama'], /--family must be one of auto, .*; found "gama"\. Did you mean gamma\?/],
    [['smaple', 'j1'], /One table at a time.* Did you mean synth sample\?/],
    [['sample', '--url', 'https://x.example'], /Name the job: synth sample JOB/],
    [['a.csv', '--auto', '--no-target', '-t', 'y'], /--target and --no-target contradict/],
    [['a.csv', '--auto', '--callback', 'https://x.example'], /--callback needs --url/],
    [['a.csv', '--auto', '--conditions', 'age > 18'], /--conditions is not valid JSON\. It is a list such as/],
    [['a.csv', '--auto', '--conditions', '{}'], /--conditions must be a list of conditions/],
    [['a.csv', '--auto', '--conditions', '[{"column": "x"}]'], /--conditions\[0\] must have exactly one of equals/],
    [['a.csv', '--auto', '--conditions', '@no/such.json'], /"no\/such.json" cannot be read: there is no such file/],
    [['a.csv', '--auto', '--policy', '{"copies": 0}'], /--policy .*known are/],
    [['a.csv', '--auto', '-o', './a.csv'], /would replace/],
    [['a.csv', '--auto', '--report', 'a.csv'], /--report would replace/],
    [['a.csv', '--auto', '-o', 'b.csv', '--report', './b.csv'], /--report names a file that another option names/],
  ])('refuses %j, saying what to do', (args, said) => {
    expect(refusal(...args)).toMatch(said);
  });

  it('reads what a sample of a job is to be', () => {
    const at = ['--url', 'https://x.example'];
    expect(parse('sample', 'j1', ...at, '-n', '9', '-s', '3', '-o', 'm.parquet', '-q')).toMatchObject({
      kind: 'sample',
      jobId: 'j1',
      settings: { n_samples: 9, seed: 3 },
      output: 'm.parquet',
      quiet: true,
      key: 'from-environment',
    });
    expect(parse('sample', 'j1', ...at)).toMatchObject({ settings: {}, output: 'synthetic_data.csv' });
    expect(made('sample', '--auto').input).toBe('sample');
    expect(refusal('sample', 'j1')).toMatch(/--url/);
    expect(refusal('sample', 'j1', 'j2', ...at)).toMatch(/One job at a time/);
    expect(refusal('sample', 'j1', ...at, '--auto')).toMatch(/--auto cannot be used with sample/);
    expect(refusal('sample', 'j1', ...at, '--json', '-o', '-')).toMatch(/-o FILE/);
    expect(() => parseOptions(['sample', 'j1', ...at], {})).toThrow(/SYNTHETIC_TABLES_KEY/);
  });

  it('takes conditions and a policy from files, too', () => {
    const folder = makeFolder();
    const [conditions, policy] = [join(folder.path, 'c.json'), join(folder.path, 'p.json')];
    writeFileSync(conditions, '[{"column": "age", "between": [18, null]}]');
    writeFileSync(policy, '{"exact_copies": 2}\n');
    expect(made('a.csv', '--auto', '--conditions', `@${conditions}`, '--policy', `@${policy}`).settings).toMatchObject({
      conditions: [{ column: 'age', between: [18, null], rows: null }],
      policy: { exact_copies: 2, verbatim_text: null },
    });
    expect(made('a.csv', '--auto', '--policy', 'strict').settings.policy).toMatchObject({ exact_copies: 0 });
    folder.remove();
  });

  it('gives help whatever else is said, and knows of what', () => {
    expect(parse('sample', '--help', '--whatever')).toEqual({ kind: 'help', topic: 'sample' });
    expect(parse('--help', 'all')).toEqual({ kind: 'help', topic: 'all' });
    expect(parse('-h')).toEqual({ kind: 'help', topic: null });
  });

  it('asks for a key where a service is named', () => {
    expect(() => parseOptions(['a.csv', '--auto', '--url', 'https://x.example'], {})).toThrow(/SYNTHETIC_TABLES_KEY/);
  });
});
