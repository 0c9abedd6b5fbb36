import { describe, expect, test } from 'vitest';
import { type Dress, learnDress, undress } from '../../../domain/dress/dress.ts';
import type { ColumnProfile, Profile } from '../../../domain/profile/profile.ts';
import { profileUpload } from '../../../domain/profile/profileUpload.ts';
import { findRelations } from '../../../domain/relations/findRelations.ts';
import { isMissing } from '../../../domain/table/missing.ts';
import { createStream } from '../../../numerics/random/createStream.ts';
import { type Asked, cellsOf, type Outcome, outcomeOf, profileOf, tableOf } from './world.ts';

const ROWS = 240;
const DAY = 86_400_000;
const random = createStream(7, 'back out');
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const pick = <T>(items: readonly T[]): T => items[random.integer(items.length)]!;
const two = (number: number): string => String(number).padStart(2, '0');
const grouped = (number: number, decimals: number): string =>
  number.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });

const dates = times(
  ROWS,
  () => new Date(Date.UTC(2019, 0, 1) + random.integer(1500) * DAY + random.integer(1440) * 60_000),
);
const [year, month, day] = [
  (date: Date) => String(date.getUTCFullYear()),
  (date: Date) => two(date.getUTCMonth() + 1),
  (date: Date) => two(date.getUTCDate()),
];
const clock = (date: Date): string => `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A cell of each dress, and the form that all cells of the column have. */
const NUMBERS: Record<string, [cell: (i: number) => string, form: RegExp]> = {
  whole: [() => String(random.integer(900)), /^\d+$/],
  'one decimal': [() => (random.uniform() * 90).toFixed(1), /^\d+\.\d$/],
  dollars: [() => `$${grouped(500 + random.uniform() * 3000, 2)}`, /^\$(\d{3}|\d,\d{3})\.\d\d$/],
  percent: [() => `${random.integer(100)} %`, /^\d+ %$/],
  accounting: [
    () => (random.integer(3) ? String(1 + random.integer(80)) : `(${1 + random.integer(80)})`),
    /^(\d+|\(\d+\))$/,
  ],
  'few thousands': [
    (i) => grouped(i % 20 === 0 ? 1000 + random.integer(900) : random.integer(1000), 0),
    /^(\d{1,3}|\d,\d{3})$/,
  ],
  'few losses': [
    (i) => (i % 20 === 0 ? `(${1 + random.integer(80)})` : String(1 + random.integer(800))),
    /^(\d+|\(\d+\))$/,
  ],
  thousands: [() => grouped(random.integer(90_000) + 1000, 0), /^\d{1,2},\d{3}$/],
  german: [
    () => grouped(1000 + random.uniform() * 8000, 2).replace(/[.,]/g, (sign) => (sign === ',' ? '.' : ',')),
    /^\d\.\d{3},\d\d$/,
  ],
  zeros: [() => String(random.integer(90_000)).padStart(5, '0'), /^\d{5}$/],
  weight: [() => `${random.integer(90) + 10} kg`, /^\d+ kg$/],
};
const TIMES: Record<string, [cell: (i: number) => string, form: RegExp]> = {
  iso: [(i) => `${year(dates[i]!)}-${month(dates[i]!)}-${day(dates[i]!)}`, /^20\d\d-[01]\d-[0-3]\d$/],
  'iso with time': [
    (i) => `${year(dates[i]!)}-${month(dates[i]!)}-${day(dates[i]!)}T${clock(dates[i]!)}:00Z`,
    /^20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:\d\dZ$/,
  ],
  german: [(i) => `${day(dates[i]!)}.${month(dates[i]!)}.${year(dates[i]!)}`, /^[0-3]\d\.[01]\d\.20\d\d$/],
  american: [
    (i) => `${month(dates[i]!)}/${day(dates[i]!)}/${year(dates[i]!)} ${clock(dates[i]!)}`,
    /^[01]\d\/[0-3]\d\/20\d\d [0-2]\d:[0-5]\d$/,
  ],
  compact: [(i) => `${year(dates[i]!)}${month(dates[i]!)}${day(dates[i]!)}`, /^20\d\d[01]\d[0-3]\d$/],
  'month and year': [
    (i) => `${MONTHS[dates[i]!.getUTCMonth()]}-${year(dates[i]!).slice(2)}`,
    /^(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)-\d\d$/,
  ],
};
const WORDS: Record<string, readonly string[]> = {
  yes: ['yes', 'no'],
  letters: ['Y', 'N'],
  truth: ['TRUE', 'FALSE'],
  ones: ['1', '0'],
  dashes: ['-', 'x'],
};

type Column = (i: number) => string;
const csvOf = (columns: Record<string, Column>, rows = ROWS): string => {
  const names = Object.keys(columns);
  const cells = times(rows, (i) => names.map((name) => columns[name]!(i)));
  const line = (texts: readonly string[]): string => texts.map((text) => `"${text.replaceAll('"', '""')}"`).join(',');
  return `${[names, ...cells].map(line).join('\n')}\n`;
};

/** The profile of a CSV, with what tests want to be known of some columns. */
async function known(csv: string, changes: Record<string, Partial<ColumnProfile>>): Promise<Profile> {
  const profile = await profileOf(csv);
  const table = await tableOf(csv);
  const columns = profile.columns.map((column) => ({ ...column, ...changes[column.name] }));
  const sample = { rows: table.rows, cells: columns.map(({ name }) => cellsOf(table, name)) };
  return { ...profile, columns, sample, relations: findRelations(columns, sample) };
}

const there = ({ table }: Outcome, name: string): string[] => cellsOf(table, name).filter((cell) => cell !== null);
const dressOf = async (csv: string, name: string): Promise<Dress> => {
  const dress = learnDress([...new Set(cellsOf(await tableOf(csv), name).filter((cell) => cell !== null))]);
  if (!dress) throw new RangeError(`no dress for ${name}`);
  return dress;
};

async function expectWithin(csv: string, outcome: Outcome, name: string): Promise<void> {
  const dress = await dressOf(csv, name);
  const numbers = (cells: (string | null)[]): number[] =>
    cells.map((cell) => (cell === null ? Number.NaN : (undress(cell, dress) ?? Number.NaN))).filter(Number.isFinite);
  const real = numbers(cellsOf(await tableOf(csv), name));
  const made = numbers(there(outcome, name));
  expect(made.length).toBe(there(outcome, name).length);
  expect(Math.min(...made)).toBeGreaterThanOrEqual(Math.min(...real));
  expect(Math.max(...made)).toBeLessThanOrEqual(Math.max(...real));
  expect(new Set(made).size).toBeGreaterThan(10);
}

describe('numbers in dress', () => {
  const csv = csvOf({
    y: (i) => String(i % 50),
    ...Object.fromEntries(Object.entries(NUMBERS).map(([n, [c]]) => [n, c])),
  });

  test.each(Object.entries(NUMBERS))('come out as they came in, as continuous columns: %s', async (name, [, form]) => {
    const outcome = await outcomeOf(csv, { target_col: 'y', continuous_cols: [name], n_samples: 500 });
    for (const cell of there(outcome, name)) expect(cell).toMatch(form);
    await expectWithin(csv, outcome, name);
  });

  test.each(['dollars', 'percent', 'german'])('come out as they came in, as the target: %s', async (name) => {
    const outcome = await outcomeOf(csv, { target_col: name, continuous_cols: ['y'], n_samples: 300 });
    for (const cell of there(outcome, name)) expect(cell).toMatch(NUMBERS[name]![1]);
    await expectWithin(csv, outcome, name);
    expect(outcome.job.metrics?.numeric['KS (Avg)']).toBeLessThan(0.2);
  });

  test('come out as they came in, as categories', async () => {
    const outcome = await outcomeOf(csv, { target_col: 'y', categorical_cols: Object.keys(NUMBERS), n_samples: 300 });
    const table = await tableOf(csv);
    for (const name of Object.keys(NUMBERS)) {
      const real = new Set(cellsOf(table, name));
      expect(there(outcome, name).filter((cell) => !real.has(cell))).toEqual([]);
    }
  });
});

describe('dates and times', () => {
  const csv = csvOf({
    y: (i) => String(i % 50),
    ...Object.fromEntries(Object.entries(TIMES).map(([n, [c]]) => [n, c])),
  });

  test.each(Object.entries(TIMES))(
    'come out in their form and within bounds, as continuous columns: %s',
    async (name, [, form]) => {
      const outcome = await outcomeOf(csv, { target_col: 'y', continuous_cols: [name], n_samples: 500 });
      for (const cell of there(outcome, name)) expect(cell).toMatch(form);
      await expectWithin(csv, outcome, name);
      expect(outcome.job.metrics?.notes.join('\n')).toContain(`Column "${name}" was modelled as time`);
    },
  );

  test('come out as they came in, as categories', async () => {
    const name = 'month and year';
    const outcome = await outcomeOf(csv, { target_col: 'y', categorical_cols: [name], n_samples: 300 });
    const real = new Set(cellsOf(await tableOf(csv), name));
    expect(there(outcome, name).filter((cell) => !real.has(cell))).toEqual([]);
  });
});

test('boolean words come out as they came in', async () => {
  const columns = Object.fromEntries(Object.entries(WORDS).map(([name, words]) => [name, () => pick(words)]));
  const csv = csvOf({ y: (i) => String(i % 50), ...columns });
  const outcome = await outcomeOf(csv, { target_col: 'y', categorical_cols: Object.keys(WORDS), n_samples: 300 });
  for (const [name, words] of Object.entries(WORDS)) {
    expect([...new Set(there(outcome, name))].sort()).toEqual([...words].sort());
  }
});

describe('missing cells', () => {
  /** Cells of the file as they stand there, quotes aside. */
  const texts = (csv: string, place: number): string[] =>
    csv
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',')[place] ?? '');
  const share = (cells: readonly string[], text: string): number =>
    cells.filter((cell) => cell === text).length / cells.length;
  const gap = (i: number): string | undefined => ['', 'NA', 'NA', '-999', undefined, undefined, undefined][i % 7];
  const csv = `y,a,c,t\n${times(700, (i) => {
    const or = (cell: string): string => gap(i) ?? cell;
    return `${i % 50},${or(String(random.integer(90)))},${or(pick(['p', 'q']))},${or(`note ${random.integer(9999)} of all`)}`;
  }).join('\n')}\n`;
  const tokens: [string, number][] = [
    ['NA', 200],
    ['', 100],
    ['-999', 100],
  ];
  const changes = Object.fromEntries(
    ['a', 'c', 't'].map((name) => [name, { missing: 400, missing_token: 'NA', missing_tokens: tokens }]),
  );
  const asked: Asked = {
    target_col: 'y',
    continuous_cols: ['a'],
    categorical_cols: ['c'],
    text_cols: ['t'],
    n_samples: 1400,
  };

  test('come out as the tokens that they were, as often as they were: empty, NA, −999', async () => {
    const { csv: made } = await outcomeOf(csv, asked, await known(csv, changes));
    for (const place of [1, 2, 3]) {
      expect(share(texts(made, place), '')).toBeCloseTo(1 / 7, 1);
      expect(share(texts(made, place), 'NA')).toBeCloseTo(2 / 7, 1);
      expect(share(texts(made, place), '-999')).toBeCloseTo(1 / 7, 1);
    }
    const numbers = texts(made, 1)
      .filter((cell) => !isMissing(cell) && cell !== '-999')
      .map(Number);
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers)).toBeLessThan(90);
  });

  test('stand together where they stood together, token by token', async () => {
    const { csv: made } = await outcomeOf(csv, asked, await known(csv, changes));
    const [a, t] = [texts(made, 1), texts(made, 3)];
    const apart = a.filter((cell, i) => (cell === '-999') !== (t[i] === '-999')).length;
    expect(apart / a.length).toBeLessThan(0.05);
  });

  test('are those of the family of the target, too', async () => {
    const own = `y,x\n${times(300, (i) => `${i % 6 === 0 ? '-999' : 40 + (i % 37)},${i % 37}`).join('\n')}\n`;
    const dress = learnDress(times(37, (i) => String(40 + i)))!;
    const profile = await known(own, { y: { missing_tokens: [['-999', 50]], dress } });
    const { table } = await outcomeOf(own, { target_col: 'y', continuous_cols: ['x'], n_samples: 600 }, profile);
    const cells = cellsOf(table, 'y').map(Number);
    expect(cells.filter((cell) => cell === -999).length / 600).toBeCloseTo(1 / 6, 1);
    expect(cells.filter((cell) => cell !== -999).every((cell) => cell >= 40 && cell <= 76)).toBe(true);
  });
});

describe('identifiers', () => {
  const code = (): string => `AB-${10_000 + random.integer(90_000)}`;
  const codes = [...new Set(times(600, code))].slice(0, 520);
  const csv = csvOf(
    { row: (i) => String(i + 1), code: (i) => codes[i]!, y: (i) => String(i % 50), x: (i) => String((i * 7) % 90) },
    520,
  );
  const identifier = { kind: 'identifier' as const };
  const changes = { row: identifier, code: identifier };

  test.each(['continuous_cols', 'categorical_cols', 'text_cols'])(
    'in %s are made anew: unique, in their form, none real',
    async (list) => {
      const asked = { target_col: 'y', continuous_cols: ['x'], n_samples: 800 };
      const rows = list === 'continuous_cols' ? { continuous_cols: ['x', 'row', 'code'] } : { [list]: ['row', 'code'] };
      const { job, table } = await outcomeOf(csv, { ...asked, ...rows }, await known(csv, changes));
      expect(cellsOf(table, 'row')).toEqual(times(800, (i) => String(521 + i)));
      const made = cellsOf(table, 'code');
      expect(new Set(made).size).toBe(800);
      expect(made.filter((cell) => cell !== null && (codes.includes(cell) || !/^AB-\d{5}$/.test(cell)))).toEqual([]);
      expect(job.metrics?.columns).toEqual(['row', 'code', 'y', 'x']);
      expect(job.metrics?.notes).toContain(
        'Column "row" holds identifiers: counted on after the last real one, each once, none of them real.',
      );
    },
  );

  test('are missing where they were', async () => {
    const gaps = csvOf({ code: (i) => (i % 4 ? codes[i]! : ''), y: (i) => String(i % 50) }, 520);
    const { table } = await outcomeOf(
      gaps,
      { target_col: 'y', categorical_cols: ['code'], n_samples: 800 },
      await known(gaps, changes),
    );
    expect(cellsOf(table, 'code').filter((cell) => cell === null).length / 800).toBeCloseTo(0.25, 1);
  });
});

describe('columns that follow from others', () => {
  const size = times(300, () => 20 + random.integer(900));
  const level = times(300, () => pick(['low', 'mid', 'high']));
  const csv = csvOf(
    {
      y: (i) => `$${(size[i]! * 3 + random.integer(40)).toFixed(2)}`,
      size: (i) => String(size[i]),
      log_size: (i) => Math.log(size[i]!).toFixed(4),
      inches: (i) => `${(size[i]! / 2.54).toFixed(2)} in`,
      level: (i) => level[i]!,
      rank: (i) => String(['low', 'mid', 'high'].indexOf(level[i]!) + 1),
      copy: (i) => level[i]!,
    },
    300,
  );
  const asked: Asked = {
    target_col: 'y',
    continuous_cols: ['size', 'log_size', 'inches'],
    categorical_cols: ['level', 'rank', 'copy'],
    n_samples: 400,
  };

  test('follow from them in every row that comes out', async () => {
    const { job, table } = await outcomeOf(csv, asked, await known(csv, {}));
    const cell = (name: string) => cellsOf(table, name).map((text) => text ?? '');
    const [sizes, logs, inches] = [cell('size'), cell('log_size'), cell('inches')];
    sizes.forEach((text, i) => {
      expect(logs[i]).toBe(String(Number(Math.log(Number(text)).toFixed(4)).toFixed(4)));
      expect(Number.parseFloat(inches[i]!)).toBeCloseTo(Number(text) / 2.54, 1);
      expect(inches[i]).toMatch(/^\d+\.\d\d in$/);
    });
    expect(cell('copy')).toEqual(cell('level'));
    expect(cell('rank')).toEqual(cell('level').map((text) => String(['low', 'mid', 'high'].indexOf(text) + 1)));
    expect(job.metrics?.notes.filter((note) => note.includes('was made from'))).toHaveLength(4);
    expect(job.metrics?.columns).toHaveLength(7);
  });

  test('follow from categories as numbers, too', async () => {
    const numbers: Asked = { ...asked, continuous_cols: ['rank'], categorical_cols: ['level'] };
    const { table } = await outcomeOf(csv, numbers, await known(csv, {}));
    const ranks = cellsOf(table, 'level').map((text) => String(['low', 'mid', 'high'].indexOf(text ?? '') + 1));
    expect(cellsOf(table, 'rank')).toEqual(ranks);
  });

  test('are modelled where one row of the whole table says otherwise', async () => {
    const profile = await known(csv, {});
    const broken = csv.replace(/"(low|mid|high)"\n$/, '"other"\n');
    const { job } = await outcomeOf(broken, asked, { ...profile, rows: 300 });
    expect(job.metrics?.notes.join('\n')).not.toContain('Column "copy" was made from');
    expect(job.metrics?.notes.join('\n')).toContain('Column "rank" was made from "level"');
  });

  test('are modelled where what they follow from is not in the request', async () => {
    const { job, table } = await outcomeOf(csv, { target_col: 'y', categorical_cols: ['copy'] }, await known(csv, {}));
    expect(job.metrics?.notes.join('\n')).not.toContain('was made from');
    expect(new Set(cellsOf(table, 'copy'))).toEqual(new Set(level));
  });
});

describe('an upload as it is profiled', () => {
  const profiledOutcome = async (csv: string, asked: Asked): Promise<Outcome> => {
    async function* bytes() {
      yield new TextEncoder().encode(csv);
    }
    return outcomeOf(csv, asked, await profileUpload(bytes(), 'table.csv'));
  };

  test('of every dress at once comes out as it came in, from its profile to the file', async () => {
    const numbers = Object.entries(NUMBERS).map(([name, [cell]]) => [`n ${name}`, cell]);
    const moments = Object.entries(TIMES).map(([name, [cell]]) => [`t ${name}`, cell]);
    const csv = csvOf({
      id: (i) => `R-${1000 + i}`,
      ...Object.fromEntries([...numbers, ...moments]),
      yes: () => pick(['yes', 'no']),
      gaps: (i) => (i % 5 === 0 ? 'NA' : i % 7 === 0 ? '' : String(random.integer(80))),
    });
    const continuous = [...numbers, ...moments].map(([name]) => String(name)).filter((name) => name !== 'n dollars');
    const outcome = await profiledOutcome(csv, {
      target_col: 'n dollars',
      continuous_cols: [...continuous, 'gaps'],
      categorical_cols: ['yes', 'id'],
      family: 'auto',
      n_samples: 300,
    });
    for (const [name, [, form]] of Object.entries(NUMBERS)) {
      for (const cell of there(outcome, `n ${name}`)) expect(cell).toMatch(form);
      // Codes of five digits with zeros in front are taken for identifiers, and made anew.
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

  test('finds in "auto" the family of a target in dress', async () => {
    const csv = csvOf({ y: () => `$${grouped(Math.exp(7 + random.normal()), 2)}`, x: (i) => String(i % 40) }, 600);
    const plain = csv.replace(/"\$([\d.,]+)"/g, (_, digits: string) => `"${digits.replaceAll(',', '')}"`);
    const families = [];
    for (const text of [csv, plain]) {
      const asked: Asked = { target_col: 'y', continuous_cols: ['x'], family: 'auto', n_samples: 50 };
      families.push((await profiledOutcome(text, asked)).job.metrics?.numeric.family);
    }
    expect(families[0]).toBe(families[1]);
  });
});

describe('cells that are missing where another column says so', () => {
  const reviews = times(400, () => (random.uniform() < 0.3 ? 0 : 1 + random.integer(60)));
  const state = times(400, () => pick(['single', 'married', 'widowed']));
  const cells: Record<string, Column> = {
    y: (i) => String(20 + (i % 50)),
    reviews: (i) => String(reviews[i]),
    state: (i) => state[i]!,
    last: (i) => (reviews[i] === 0 ? '' : TIMES.iso![0](i % ROWS)),
    rate: (i) => (reviews[i] === 0 ? '' : (random.uniform() * 9).toFixed(2)),
    years: (i) => (state[i] === 'married' ? String(random.integer(60)) : ''),
  };
  const csv = csvOf(cells, 400);
  const gone = reviews.filter((count) => count === 0).length / 400;
  const asked: Asked = {
    target_col: 'y',
    continuous_cols: ['last', 'rate', 'reviews', 'years'],
    categorical_cols: ['state'],
    n_samples: 900,
  };

  test('are missing there in every row that comes out', async () => {
    const { table } = await outcomeOf(csv, asked, await known(csv, {}));
    const isGone = (name: string): boolean[] => cellsOf(table, name).map((cell) => cell === null);
    const isZero = cellsOf(table, 'reviews').map((cell) => cell === '0');
    expect(isGone('last')).toEqual(isZero);
    expect(isGone('rate')).toEqual(isZero);
    expect(isGone('years')).toEqual(cellsOf(table, 'state').map((cell) => cell !== 'married'));
    expect(Math.abs(isZero.filter(Boolean).length / 900 - gone)).toBeLessThan(0.06);
  });

  test('are modelled where one row of the whole table says otherwise, and where the other column is not there', async () => {
    const profile = await known(csv, {});
    const first = reviews.indexOf(0);
    const broken = csvOf({ ...cells, rate: (i) => (i === first ? '1.00' : cells.rate!(i)) }, 400);
    for (const [text, continuous_cols] of [
      [broken, ['last', 'rate', 'reviews']],
      [csv, ['last', 'rate']],
    ] as const) {
      const { table } = await outcomeOf(text, { ...asked, continuous_cols: [...continuous_cols] }, profile);
      const share = cellsOf(table, 'rate').filter((cell) => cell === null).length / 900;
      expect(Math.abs(share - gone)).toBeLessThan(0.06);
    }
  });
});
