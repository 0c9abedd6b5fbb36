import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { completion } from '../../cli/completion.ts';
import { EXIT } from '../../cli/exitCodes.ts';
import { help } from '../../cli/help.ts';
import { OPTIONS, SHELLS } from '../../cli/optionTable.ts';
import { drawn, shareOf } from '../../cli/showProgress.ts';

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

describe('completion', () => {
  it.each(SHELLS)('of %s offers every option', (shell) => {
    const script = completion(shell);
    for (const { name } of OPTIONS) expect(script).toContain(shell === 'fish' ? `-l ${name}` : `--${name}`);
  });

  it('of bash completes options and what stands behind them', () => {
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
  it('has a bar where the job counts, and the seconds', () => {
    expect(drawn('Sampling: 500 of 2,000 steps (3.1 s)', 3.4, 80)).toBe(
      '3 s  [#####···············] Sampling: 500 of 2,000 steps',
    );
    expect(drawn('Read 344 rows', 0.2, 80)).toBe('0 s  Read 344 rows');
  });

  it('never wraps: it could not be drawn over', () => {
    expect(drawn('x'.repeat(200), 1, 40).length).toBeLessThan(40);
  });

  it('counts only what is a part of a whole', () => {
    expect(shareOf('5 of 4')).toBeUndefined();
    expect(shareOf('0 of 0')).toBeUndefined();
    expect(shareOf('1,500 of 3,000 rows')).toBe(0.5);
  });
});
