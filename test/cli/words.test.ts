import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../cli/exitCodes.ts';
import { completion, help } from '../../cli/help.ts';
import { OPTIONS, SHELLS } from '../../cli/optionTable.ts';
import { drawn, shareOf } from '../../cli/progressView.ts';
import { generateRequestSchema } from '../../packages/contract/requests.ts';
import { sayIn } from '../../packages/words/say.ts';

describe('synth --help', () => {
  it('has every option, every way to end, and how to complete', () => {
    const text = help();
    for (const { name } of OPTIONS) expect(text).toContain(`--${name}`);
    for (const code of Object.values(EXIT)) expect(text).toMatch(new RegExp(`^ +${code}  \\w`, 'm'));
    for (const shell of SHELLS) expect(text).toContain(`--completion ${shell}`);
  });

  it('fits a terminal of 120 columns', () => {
    expect(
      help()
        .split('\n')
        .filter((line) => line.length > 120),
    ).toEqual([]);
  });
});

describe('a problem with a field', () => {
  it('names the option by which the field is given', () => {
    const options = new Set(OPTIONS.map(({ name }) => `--${name}`));
    const said = Object.keys(generateRequestSchema.shape).map((field) => sayIn('cli').field(field));
    expect(said.filter((name) => name.startsWith('--') && !options.has(name))).toEqual([]);
    expect(sayIn('cli').field('text_nucleus')).toBe('--nucleus');
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
    expect(shareOf({ ...counting, done: 5, total: 4 })).toBeUndefined();
    expect(shareOf({ ...counting, done: 0, total: 0 })).toBeUndefined();
    expect(shareOf({ ...counting, done: 1500, total: 3000 })).toBe(0.5);
    expect(shareOf(read)).toBeUndefined();
    expect(shareOf('1,500 of 3,000 rows')).toBeUndefined();
  });
});
