import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../cli/exitCodes.ts';
import { parseOptions } from '../../cli/parseOptions.ts';
import { root } from '../support/imports.ts';
import { housesCsv } from '../support/tables.ts';
import { makeFolder } from '../support/temporaryFolder.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const optionsOf = (...args: string[]) => parseOptions(args, {});

describe('synth compare', () => {
  it('takes two tables, a holdout and roles', () => {
    const said = optionsOf('compare', 'real.csv', 'made.csv', '--holdout', 'held.csv', '-t', 'price', '-s', '4');
    expect(said).toMatchObject({
      kind: 'compare',
      real: 'real.csv',
      synthetic: 'made.csv',
      holdout: 'held.csv',
      seed: 4,
    });
  });

  it.each<[args: string[], said: RegExp]>([
    [['compare', 'real.csv', 'b.csv', '--auto', '--url', 'http://localhost'], /--url cannot be used with compare/],
    [['compare', 'a.csv', 'b.csv', 'c.csv'], /Name two tables/],
    [['compare', 'a.csv', 'b.csv', '-n', '9'], /--rows cannot be used with compare/],
    [['a.csv', '--auto', '--holdout', 'b.csv'], /synth compare REAL SYNTHETIC --holdout FILE/],
  ])('refuses %j', (args, said) => {
    expect(() => optionsOf(...args)).toThrow(said);
  });

  it('prints verdicts and figures, writes a report, and fails on a verdict where it is to', () => {
    const [real, report] = [join(folder.path, 'real.csv'), join(folder.path, 'report.html')];
    writeFileSync(real, housesCsv(60));
    const args = [
      'compare',
      real,
      real,
      '--json',
      '--report',
      report,
      '--fail-on',
      'poor',
      '-s',
      '1',
      '--ignore',
      'note',
      '-a',
    ];
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'cli', 'main.ts'), ...args], {
      ...{ encoding: 'utf8', env: { PATH, NODE_COMPILE_CACHE } },
    });
    expect([status, stderr]).toEqual([
      EXIT.verdict,
      expect.stringMatching(/--fail-on poor holds it back\. Privacy: poor/),
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ grade: 'poor', files: { report } });
    expect(existsSync(report) && readFileSync(report, 'utf8')).toContain('real.csv');
  });
});
