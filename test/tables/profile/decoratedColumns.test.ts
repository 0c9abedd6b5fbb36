import { describe, expect, it } from 'vitest';
import { detectFamily } from '../../../packages/synthesis/family/detectFamily.ts';
import { profileUpload } from '../../../packages/tables/profile/profileUpload.ts';
import { bytesOf } from '../../support/bytes.ts';

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

async function profileOf(cells: readonly string[], name = 'c') {
  const profile = await profileUpload(
    bytesOf(`k,${name}\n${cells.map((cell) => `z,${quoted(cell)}`).join('\n')}\n`),
    't.csv',
  );
  return { profile, column: profile.columns[1]! };
}

const many = (count: number, cell: (i: number) => string | number) =>
  Array.from({ length: count }, (_, i) => String(cell(i)));
const spread = (i: number, size: number) => (i * 7919) % size;

describe('columns of numbers in format', () => {
  it.each([
    ['"1,204"', (i: number) => (900 + spread(i, 977)).toLocaleString('en-US'), '"," between groups'],
    ['"12 %"', (i: number) => `${spread(i, 101)} %`, '" %" after them, read as percent'],
    ['"$3.50"', (i: number) => `$${(spread(i, 997) / 8).toFixed(2)}`, '"$" before them'],
    [
      '"1.204,50"',
      (i: number) => (spread(i, 9973) * 1.25).toLocaleString('de-DE', { minimumFractionDigits: 2 }),
      'a decimal comma',
    ],
    [
      '"(12)"',
      (i: number) => (i % 3 ? String(spread(i, 97)) : `(${1 + spread(i, 89)})`),
      'parentheses around negative numbers',
    ],
  ])('are continuous when written %s', async (_, cell, words) => {
    const { column } = await profileOf(many(150, cell));
    expect(column).toMatchObject({ kind: 'continuous', suggested_role: 'continuous', format: { kind: 'decorated' } });
    expect(column.numbers?.count).toBe(150);
    expect(column.evidence.join()).toContain(words);
  });

  it('have the moments, quantiles and family of the numbers under it', async () => {
    const numbers = Array.from({ length: 400 }, (_, i) => Math.round(Math.exp(3 + 2 * Math.sin(i * i))));
    const plain = await profileOf(numbers.map(String));
    const decorated = await profileOf(numbers.map((value) => `$${value.toLocaleString('en-US')}`));
    expect(decorated.column.numbers).toEqual(plain.column.numbers);
    expect(detectFamily(decorated.profile, decorated.column)).toEqual(detectFamily(plain.profile, plain.column));
  });

  it('are the same whether all distinct texts were kept or not', async () => {
    const cells = many(40_000, (i) => `€ ${(i / 4).toFixed(2).replace('.', ',')}`);
    const { column } = await profileOf(cells);
    expect(column.numbers).toMatchObject({ count: 40_000, format: { min: 0, max: 9999.75, decimals: 2, fixed: true } });
    expect(column.format).toMatchObject({ kind: 'decorated', prefix: '€ ', decimal: ',' });
  });
});

describe('columns of times', () => {
  it('are counted over all cells, also beyond the distinct texts that are kept', async () => {
    const cells = many(40_000, (i) =>
      new Date(Date.UTC(2020, 0, 1) + 60_000 * i).toISOString().slice(0, 16).replace('T', ' '),
    );
    const { column } = await profileOf(cells);
    expect(column).toMatchObject({
      kind: 'datetime',
      suggested_role: 'continuous',
      format: { pattern: 'YYYY-MM-DD hh:mm', unit: 'minute' },
    });
    expect(column.numbers).toMatchObject({ count: 40_000, format: { min: 26_297_280, max: 26_337_279 } });
  });

  it('are no target, and have no family', async () => {
    const { profile, column } = await profileOf(many(60, (i) => `2024-03-${String(1 + (i % 28)).padStart(2, '0')}`));
    expect(column.suggested_role).toBe('continuous');
    expect(() => detectFamily(profile, column)).toThrow(
      expect.objectContaining({
        params: expect.objectContaining({ reason: 'target_without_numbers', kind: 'datetime' }),
      }),
    );
  });

  it('say when day and month cannot be told apart, and how they were read', async () => {
    const { profile } = await profileOf(many(30, (i) => `${1 + (i % 12)}/${1 + (i % 11)}/2020`));
    expect(profile.warnings).toContainEqual(
      expect.stringMatching(/"c": no cell shows whether the day or the month comes first; read as month first/),
    );
    const clear = await profileOf(many(30, (i) => `${13 + (i % 12)}/${1 + (i % 11)}/2020`));
    expect(clear.profile.warnings.join()).not.toContain('month apart');
    expect(clear.column.format).toMatchObject({ pattern: 'D/M/YYYY' });
  });

  it.each([
    ['among the last cells of many', 40_000],
    ['among a few cells', 60],
  ])('are read with the order of day and month that one cell shows, %s', async (_, count) => {
    const first = Date.UTC(2024, 0, 1);
    const cells = many(count, (i) => {
      const [date = '', clock = ''] = new Date(first + 25_000 * i).toISOString().slice(0, 19).split('T');
      return `${date.slice(8)}/${date.slice(5, 7)}/2024 ${clock}`;
    });
    cells[count - 3] = '14/01/2024 00:00:00';
    const { profile, column } = await profileOf(cells);
    expect(column.format).toMatchObject({ pattern: 'DD/MM/YYYY hh:mm:ss', unit: 'second' });
    expect(column.numbers).toMatchObject({ count, format: { min: first / 1000, integer: true } });
    expect(column.format).not.toHaveProperty('ambiguous');
    expect(profile.warnings.join()).not.toMatch(/month apart|another form/);
  });

  it('whose day and month nothing tells apart say so, however many', async () => {
    const cells = many(
      40_000,
      (i) => `0${1 + (i % 9)}/0${1 + (i % 8)}/2024 ${new Date(1000 * i).toISOString().slice(11, 19)}`,
    );
    const { profile, column } = await profileOf(cells);
    expect(column.format).toMatchObject({ pattern: 'MM/DD/YYYY hh:mm:ss', ambiguous: true });
    expect(column.numbers?.count).toBe(40_000);
    expect(profile.warnings.join()).toContain('no cell shows whether the day or the month comes first');
  });

  it('in several formats are dates that cannot be counted, and the warning says so', async () => {
    const { profile, column } = await profileOf(many(40, (i) => (i % 2 ? '2024-03-20' : 'March 5, 2021')));
    expect(column).toMatchObject({ kind: 'datetime', suggested_role: 'ignore', format: null });
    expect(profile.warnings).toContainEqual(expect.stringContaining('in several formats'));
  });

  it('20240320 are dates, and 99999999 days are none', async () => {
    const { column } = await profileOf(many(40, (i) => 20_240_301 + (i % 28)));
    expect(column).toMatchObject({ kind: 'datetime', format: { pattern: 'YYYYMMDD', unit: 'day' } });
    expect((await profileOf(many(40, (i) => 20_249_900 + i))).column.kind).not.toBe('datetime');
  });
});

describe('marks of missing cells', () => {
  it.each(['-', '.', '?', 'unknown', '#N/A', '--'])('%s stands for one among numbers', async (mark) => {
    const { profile, column } = await profileOf(many(60, (i) => (i % 6 === 2 ? mark : 1.5 * i)));
    expect(column).toMatchObject({
      kind: 'continuous',
      missing: 10,
      missing_token: mark,
      missing_tokens: [[mark, 10]],
    });
    expect(column.evidence.join()).toContain('(row 3)');
    expect(profile.warnings).toContainEqual(
      expect.stringContaining(`${JSON.stringify(mark)} in 10 cells counts as missing`),
    );
    expect(profile.sample.cells[1]?.filter((cell) => cell === null)).toHaveLength(10);
  });

  it('stands for one among dates too, and for itself among words', async () => {
    const dates = await profileOf(many(60, (i) => (i % 6 === 2 ? '-' : `2024-03-${10 + (i % 20)}`)));
    expect(dates.column).toMatchObject({ kind: 'datetime', missing: 10 });
    const words = await profileOf(many(60, (i) => ['red', 'unknown', '-'][i % 3] ?? ''));
    expect(words.column).toMatchObject({ kind: 'categorical', missing: 0, distinct: 3 });
  });

  it.each([
    ['-999', (i: number) => 20 + spread(i, 61)],
    ['9999', (i: number) => 20 + spread(i, 61)],
    ['-9999.0', (i: number) => `${spread(i, 97)}.5`],
    ['-99', (i: number) => 1 + spread(i, 7)],
  ])('%s stands for one among numbers far from it', async (mark, cell) => {
    const { column } = await profileOf(many(120, (i) => (i % 12 === 5 ? mark : cell(i))));
    expect(column.missing).toBe(10);
    expect(column.missing_tokens).toEqual([[mark, 10]]);
    expect(column.numbers?.count).toBe(110);
    expect(column.numbers?.format.min).toBeGreaterThanOrEqual(0);
    expect(column.numbers?.format.max).toBeLessThanOrEqual(100);
    expect(column.evidence.join()).toContain('(row 6)');
    expect(column.top_levels.map(([text]) => text)).not.toContain(mark);
  });

  it.each([
    ['99 among ages', (i: number) => (i % 9 === 1 ? 99 : spread(i, 98))],
    ['a cap of 99999 among large sums', (i: number) => (i % 9 === 1 ? 99_999 : spread(i, 41_311))],
    ['-999 among balances', (i: number) => (i % 9 === 1 ? -999 : spread(i, 4001) - 2000)],
    ['one 9999', (i: number) => (i === 7 ? 9999 : spread(i, 61))],
  ])('does not take %s for one', async (_, cell) => {
    expect((await profileOf(many(200, cell))).column).toMatchObject({ missing: 0, missing_tokens: [] });
  });

  it('are all listed with their counts, the usual ones among them', async () => {
    const { column } = await profileOf(
      many(60, (i) => (i % 6 === 2 ? '-' : i % 10 === 5 ? 'NA' : i === 1 ? '' : i * 2.5)),
    );
    expect(column.missing_tokens).toEqual([
      ['-', 10],
      ['NA', 6],
      ['', 1],
    ]);
    expect(column.missing).toBe(17);
  });
});

describe('columns that look like numbers and are none', () => {
  it.each([
    ['yes', 'no'],
    ['Y', 'N'],
    ['TRUE', 'FALSE'],
    ['t', 'f'],
    ['on', 'off'],
    ['1', '0'],
    ['1.0', '0.0'],
    ['ja', 'nein'],
    ['oui', 'non'],
    ['✓', '✗'],
  ])('%s and %s are yes and no', async (yes, no) => {
    const { column } = await profileOf(many(50, (i) => (i % 3 ? yes : no)));
    expect(column).toMatchObject({ kind: 'categorical', suggested_role: 'categorical' });
    expect(column.evidence[0]).toContain('yes or no');
  });

  it('truth values in several ways of writing are kept, with a warning that says so', async () => {
    const { profile, column } = await profileOf(many(60, (i) => ['yes', 'Yes', 'no', 'NO'][i % 4] ?? ''));
    expect(column.kind).toBe('categorical');
    expect(profile.warnings).toContainEqual(expect.stringContaining('differ only in case or spaces'));
  });

  it('postcodes keep their zeros: categories where they repeat, identifiers where they hardly do', async () => {
    const repeated = await profileOf(many(200, (i) => String(100 + spread(i, 40)).padStart(5, '0')));
    expect(repeated.column).toMatchObject({ kind: 'categorical', format: { width: 5 } });
    expect(repeated.column.top_levels[0]?.[0]).toHaveLength(5);
    const named = await profileOf(
      many(200, (i) => String(spread(i, 150) * 61).padStart(4, '0')),
      'postcode',
    );
    expect(named.column.kind).toBe('categorical');
    const without = await profileOf(
      many(300, (i) => 10_000 + 7 * spread(i, 200)),
      'zip_code',
    );
    expect(without.column.kind).toBe('categorical');
    expect((await profileOf(many(200, (i) => String(spread(i, 9973)).padStart(5, '0')))).column.kind).toBe(
      'identifier',
    );
  });

  it('numbers of several units are no numbers, and the warning names the units', async () => {
    const { profile, column } = await profileOf(many(80, (i) => `${1 + spread(i, 79)} ${['kg', 'g', 'lb'][i % 3]}`));
    expect(column.kind).toBe('text');
    expect(column.numbers).toBeNull();
    expect(profile.warnings).toContainEqual(expect.stringMatching(/different units \("kg", "g" and "lb"\).*Convert/));
    expect((await profileOf(many(80, (i) => `${1 + spread(i, 79)} kg`))).column.kind).toBe('continuous');
  });

  it('money and percent that hardly repeat are no identifiers', async () => {
    expect((await profileOf(many(80, (i) => `$${10_000_000 + 7919 * i}`))).column.kind).toBe('continuous');
  });
});

describe('warnings', () => {
  it('stand by weight, and each says what will be done', async () => {
    const rows = many(60, (i) =>
      [
        i + 1,
        i === 4 ? 'ten' : i * 1.5,
        '',
        i % 6 ? i * 2.5 : -999,
        i % 9 ? 'x' : '',
        'same',
        `${1 + (i % 12)}/${1 + (i % 11)}/2020`,
      ].join(','),
    );
    const { warnings } = await profileUpload(bytesOf(`id,a,nothing,b,gaps,one,day\n${rows.join('\n')}\n`), 't.csv');
    expect(warnings.map((warning) => /"[a-z]+"/.exec(warning)?.[0])).toEqual([
      '"nothing"',
      '"a"',
      '"day"',
      '"b"',
      '"b"',
      '"gaps"',
      '"one"',
      '"id"',
    ]);
    for (const warning of warnings)
      expect(warning).toMatch(/left out|leave|count|read|taken|made|keeps|generated|repeated/);
  });
});
