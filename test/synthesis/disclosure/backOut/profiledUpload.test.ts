import { describe, expect, test } from 'vitest';
import { profileUpload } from '../../../../packages/tables/profile/profileUpload.ts';
import { type Asked, cellsOf, drawnOf, outcomeOf } from '../../world.ts';
import { csvOf, expectWithin, grouped, NUMBERS, pick, random, TIMES, there, times } from './cells.ts';

describe('an upload as it is profiled', () => {
  async function* bytesOf(csv: string) {
    yield new TextEncoder().encode(csv);
  }
  const profiled = (csv: string) => profileUpload(bytesOf(csv), 'table.csv');

  test('of every format at once comes out as it came in, from its profile to the file', async () => {
    const numbers = Object.entries(NUMBERS).map(([name, [cell]]) => [`n ${name}`, cell]);
    const moments = Object.entries(TIMES).map(([name, [cell]]) => [`t ${name}`, cell]);
    const csv = csvOf({
      id: (i) => `R-${1000 + i}`,
      ...Object.fromEntries([...numbers, ...moments]),
      yes: () => pick(['yes', 'no']),
      gaps: (i) => (i % 5 === 0 ? 'NA' : i % 7 === 0 ? '' : String(random.integer(80))),
    });
    const continuous = [...numbers, ...moments].map(([name]) => String(name)).filter((name) => name !== 'n dollars');
    const asked: Asked = {
      target_col: 'n dollars',
      continuous_cols: [...continuous, 'gaps'],
      categorical_cols: ['yes', 'id'],
      family: 'auto',
      n_samples: 300,
    };
    const outcome = await drawnOf(csv, asked, await profiled(csv));
    for (const [name, [, form]] of Object.entries(NUMBERS)) {
      for (const cell of there(outcome, `n ${name}`)) expect(cell).toMatch(form);
      // Codes of five digits with zeros in front are taken for identifiers, and replaced.
      if (name !== 'zeros') await expectWithin(csv, outcome, `n ${name}`);
    }
    for (const [name, [, form]] of Object.entries(TIMES)) {
      for (const cell of there(outcome, `t ${name}`)) expect(cell).toMatch(form);
      await expectWithin(csv, outcome, `t ${name}`);
    }
    expect(cellsOf(outcome.table, 'id')).toEqual(times(300, (i) => `R-${1240 + i}`));
    expect([...new Set(there(outcome, 'yes'))].sort()).toEqual(['no', 'yes']);
    const gaps = outcome.csv
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',').at(-1) ?? '');
    expect(gaps.filter((cell) => cell === 'NA').length / 300).toBeCloseTo(0.2, 1);
    expect(gaps.filter((cell) => cell === '').length / 300).toBeCloseTo(0.115, 1);
    expect(gaps.filter((cell) => cell !== '' && cell !== 'NA').every((cell) => /^\d+$/.test(cell))).toBe(true);
  });

  test('finds in "auto" the family of a target in format', async () => {
    const csv = csvOf({ y: () => `$${grouped(Math.exp(7 + random.normal()), 2)}`, x: (i) => String(i % 40) }, 600);
    const plain = csv.replace(/"\$([\d.,]+)"/g, (_, digits: string) => `"${digits.replaceAll(',', '')}"`);
    const families = [];
    for (const text of [csv, plain]) {
      const asked: Asked = { target_col: 'y', continuous_cols: ['x'], family: 'auto', n_samples: 50 };
      families.push((await outcomeOf(text, asked, await profiled(text))).job.metrics?.numeric.family);
    }
    expect(families[0]).toBe(families[1]);
  });
});
