import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../cli/commands.ts';
import { EXIT } from '../../cli/exitCodes.ts';
import { completion, help } from '../../cli/help.ts';
import { OPTIONS, type OptionRow, SHELLS } from '../../cli/optionTable.ts';
import { parseOptions } from '../../cli/parseOptions.ts';
import { drawn, progressShare, stageLines } from '../../cli/progressView.ts';
import { requestOf } from '../../cli/roles.ts';
import { startRequestSchema } from '../../packages/contract/requests.ts';
import { sayIn } from '../../packages/words/say.ts';
import { root } from '../support/imports.ts';

const widest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));

describe('synth --help', () => {
  it('fits a screen of 40 lines and 120 columns, and says where the rest is', () => {
    const lines = help(null).split('\n');
    expect([lines.length <= 40, widest(help(null)) <= 120]).toEqual([true, true]);
    expect(help(null)).toContain('synth --help all');
    for (const { name } of COMMANDS) expect(help(null)).toContain(`  ${name}`);
  });

  it('has, asked for all, every option, every way to end, and how to complete', () => {
    const text = help('all');
    expect(widest(text)).toBeLessThanOrEqual(120);
    for (const { name } of OPTIONS) expect(text).toContain(`--${name}`);
    for (const code of Object.values(EXIT)) expect(text).toMatch(new RegExp(`^ +${code}  \\w`, 'm'));
    for (const shell of SHELLS) expect(text).toContain(`--completion ${shell}`);
  });

  it('stands whole in docs/command-line.md', () => {
    expect(readFileSync(join(root, 'docs', 'command-line.md'), 'utf8')).toContain(`\`\`\`\n${help('all')}\n\`\`\``);
  });

  it('of sample has the options of samples alone', () => {
    expect(help('sample')).toContain('--conditions');
    expect(help('sample')).not.toContain('--categorical');
  });
});

describe('a field of POST /generate', () => {
  const fields = Object.keys(startRequestSchema.shape).filter((field) => field !== 'job_id');
  const options: readonly OptionRow[] = OPTIONS;
  const columns = ['y', 'x', 'c', 't'];
  const suggested = { y: 'target', x: 'continuous', c: 'categorical', t: 'text' } as const;
  const upload = {
    columns,
    profile: { columns: Object.entries(suggested).map(([name, suggested_role]) => ({ name, suggested_role })) },
  };
  /** For each option that gives a field, what to write, and what the field then is. */
  const GIVEN: Readonly<Record<string, [args: string[], value: unknown]>> = {
    target_col: [['-t', 'x'], 'x'],
    target: [['--no-target', '--categorical', 'c'], 'none'],
    continuous_cols: [['--continuous', 'x'], ['x']],
    categorical_cols: [['--categorical', 'c'], ['c']],
    text_cols: [['--text', 't'], ['t']],
    entity_col: [['--entity', 'c'], 'c'],
    order_col: [['--order', 'x'], 'x'],
    queue: [['--no-queue', '--url', 'https://y.example', '--key', 'k'], false],
    family: [['--family', 'gamma'], 'gamma'],
    sampler: [['--sampler', 'nuts'], 'nuts'],
    calibrate: [['--no-calibrate'], false],
    keep_rare: [['--keep-rare'], true],
    cross_fit: [['--cross-fit'], true],
    allow_few_rows: [['--allow-few-rows'], true],
    conditions: [['--conditions', '[{"column": "c", "equals": "a"}]'], [{ column: 'c', equals: 'a', rows: null }]],
    policy: [['--policy', '{"exact_copies": 0}'], expect.objectContaining({ exact_copies: 0 })],
    privacy: [['--epsilon', '1'], { epsilon: 1, delta: null }],
    domain: [['--domain', '{"y": {"min": 0, "max": 9}}'], { y: { min: 0, max: 9, decimals: 0 } }],
    callback_url: [
      ['--callback', 'https://x.example', '--url', 'https://y.example', '--key', 'k'],
      'https://x.example',
    ],
  };

  it.each(fields)('%s is given by one option, which messages name, and by it reaches the request', (field) => {
    const [row, ...more] = options.filter((option) => option.field === field);
    expect([row?.name, more]).toEqual([sayIn('cli').field(field).slice(2), []]);
    const [args, value] = GIVEN[field] ?? [[`--${row?.name}`, '1'], 1];
    expect(args.join(' ')).toMatch(new RegExp(`(^| )(--${row?.name}|-${row?.short})( |$)`));
    const roles = args.some((arg) => /^--(no-target|categorical|text)$/.test(arg)) ? [] : ['--auto'];
    const command = parseOptions(['a.csv', ...args, ...roles], {});
    if (command.kind !== 'make') throw new Error('it makes no table');
    // A service alone has a queue: what makes the request adds it there.
    const request = { queue: command.queue, ...requestOf(upload, command) };
    expect(request).toMatchObject({ [field]: value });
  });

  it('has no option that gives a field that there is not', () => {
    const given = options.flatMap(({ field }) => field ?? []);
    expect(given.filter((field) => !fields.includes(field))).toEqual([]);
  });

  it('is named as its option inside longer places, too', () => {
    expect(sayIn('cli').field('conditions[0].rows')).toBe('--conditions[0].rows');
  });
});

describe('completion', () => {
  it.each(SHELLS)('of %s offers every option', (shell) => {
    const script = completion(shell);
    for (const { name } of OPTIONS) expect(script).toContain(shell === 'fish' ? `-l ${name}` : `--${name}`);
  });

  it('of bash completes options and what stands after them', () => {
    const complete = (...words: string[]) => {
      const script = `${completion('bash')}\nCOMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _synth; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' });
      expect(stderr).toBe('');
      return stdout.trim().split('\n');
    };
    expect(complete('synth', 'a.csv', '--in')).toEqual(['--inspect']);
    expect(complete('synth', '--completion', '')).toEqual([...SHELLS]);
    expect(complete('synth', '-o', 'package.j')).toEqual(['package.json']);
    expect(complete('synth', '--rows', '')).toEqual(['']);
  });
});

describe('progress by stages', () => {
  it('is a line each for what takes time, however often a stage speaks or comes back', () => {
    const lines: string[] = [];
    const view = stageLines({ write: (text: string | Uint8Array) => lines.push(String(text)) > 0 });
    const fit = { stage: 'fit', fact: 'categories_fitted', total: 30, seconds: 1 } as const;
    view.say('Waiting in the queue');
    view.say({ stage: 'load', fact: 'table_read', rows: 344, columns: 7, seconds: 0.1 });
    for (let done = 1; done <= 30; done++) view.say({ ...fit, done });
    view.say({ stage: 'done', fact: 'finished', rows: 5, columns: 2, seconds: 3 });
    view.say({ ...fit, done: 30 });
    expect(lines).toEqual([
      'Waiting in the queue\n',
      'Reading the table …\n',
      'Fitting the models …\n',
      'Pipeline finished: 5 rows of 2 columns in 3.0 s\n',
    ]);
  });
});

describe('the drawn line', () => {
  const counting = { stage: 'fit', fact: 'chains_sampled', parameter: null, divergences: 0, seconds: 3.1 } as const;
  const read = { stage: 'load', fact: 'table_read', rows: 344, columns: 7, seconds: 0.1 } as const;

  it('has a bar where the job counts, and the seconds', () => {
    expect(drawn({ ...counting, done: 500, total: 2000 }, 3.4, 80)).toBe(
      '3 s  [#####···············] Sampling: 500 of 2,000 iterations, 0 divergences',
    );
    expect(drawn(read, 0.2, 80)).toBe('0 s  Read 344 rows and 7 columns');
  });

  it('never wraps: it could not be drawn over', () => {
    expect(drawn('x'.repeat(200), 1, 40).length).toBeLessThan(40);
  });

  it('counts only what is a part of a whole', () => {
    expect(progressShare({ ...counting, done: 5, total: 4 })).toBeUndefined();
    expect(progressShare({ ...counting, done: 0, total: 0 })).toBeUndefined();
    expect(progressShare({ ...counting, done: 1500, total: 3000 })).toBe(0.5);
    expect(progressShare(read)).toBeUndefined();
    expect(progressShare('1,500 of 3,000 rows')).toBeUndefined();
  });
});
