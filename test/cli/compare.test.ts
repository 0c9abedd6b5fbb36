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
      synthetic: ['made.csv'],
      holdout: 'held.csv',
      seed: 4,
    });
  });

  it.each<[args: string[], said: RegExp]>([
    [['compare', 'real.csv', 'b.csv', '--auto', '--url', 'http://localhost'], /--url cannot be used with compare/],
    [['compare', 'a.csv', 'b.csv', 'c.csv', 'd.csv'], /one or two synthetic ones/],
    [['compare', 'a.csv', 'b.csv', '-n', '9'], /--rows cannot be used with compare/],
    [['a.csv', '--auto', '--holdout', 'b.csv'], /synth compare REAL SYNTHETIC --holdout FILE/],
  ])('refuses %j', (args, said) => {
    expect(() => optionsOf(...args)).toThrow(said);
  });

  const run = (...args: string[]) => {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const common = ['-s', '1', '--ignore', 'note', '-a'];
    return spawnSync(process.execPath, [join(root, 'cli', 'main.ts'), 'compare', ...args, ...common], {
      encoding: 'utf8',
      env: { PATH, NODE_COMPILE_CACHE },
    });
  };
  const file = (name: string, text: string): string => {
    const path = join(folder.path, name);
    writeFileSync(path, text);
    return path;
  };

  it('prints verdicts and figures, writes a report, and fails on a verdict where it is to', () => {
    const [real, report] = [file('real.csv', housesCsv(60)), join(folder.path, 'report.html')];
    const { status, stdout, stderr } = run(real, real, '--json', '--report', report, '--fail-on', 'poor');
    expect([status, stderr]).toEqual([
      EXIT.verdict,
      expect.stringMatching(/--fail-on poor holds it back\. Privacy: poor/),
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ grade: 'poor', files: { report } });
    expect(existsSync(report) && readFileSync(report, 'utf8')).toContain('real.csv');
  });

  it('only says what it would take where it is asked for that', () => {
    const real = file('real.csv', housesCsv(60));
    const one = run(real, real, '--estimate');
    expect([one.status, one.stderr]).toEqual([0, '']);
    expect(one.stdout).toMatch(/^about \S+ s on this machine .* of CPU, \d+ MB of memory\n {2}start .*\n {2}metrics /);
    expect(one.stdout).not.toContain('Privacy');
    expect(JSON.parse(run(real, real, '--estimate', '--json', '--holdout', real).stdout)).toMatchObject({
      cheaper: null,
      stages: [{ stage: 'start', why: expect.stringContaining('180 rows') }, { stage: 'metrics' }, { stage: 'write' }],
    });
    const two = run(real, real, file('fresh.csv', housesCsv(90)), '--estimate').stdout;
    expect(two).toMatch(/^real\.csv\nabout .*\n(.*\n)+fresh\.csv\nabout /);
  });

  it('shows two tables beside each other: verdicts, figures, one page', () => {
    const real = file('real.csv', housesCsv(60));
    const [header, ...lines] = housesCsv(120).trimEnd().split('\n');
    const fresh = file('fresh.csv', `${[header, ...lines.slice(60)].join('\n')}\n`);
    const page = join(folder.path, 'two.html');
    const { status, stdout } = run(real, fresh, real, '--report', page, '-q', '--json');
    expect(status).toBe(0);
    const { tables } = JSON.parse(stdout);
    expect(tables).toMatchObject([{ name: 'fresh.csv' }, { name: 'real.csv', grade: 'poor' }]);
    expect(tables[0].verdicts).toContainEqual(expect.objectContaining({ area: 'privacy', grade: 'unknown' }));
    const html = readFileSync(page, 'utf8');
    expect(html).toMatch(/<th scope="col">fresh.csv<\/th><th scope="col">real.csv<\/th>/);
    expect(html).toMatch(/Do not share this table without review/);
    expect(run(real, fresh, real).stdout).toMatch(/^figure +fresh\.csv +verdict +real\.csv +verdict +real data score/);
  });
});
