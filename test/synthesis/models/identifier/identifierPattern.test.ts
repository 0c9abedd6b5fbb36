import fc from 'fast-check';
import validator from 'validator';
import { describe, expect, test } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { identifierPattern } from '../../../../packages/synthesis/models/identifier/identifierPattern.ts';
import { type ModelCase, modelSuite } from '../model.suite.ts';
import { category, fitTask, silent, tableOf, text, textsOf } from '../tables.ts';

const random = createStream(11, 'identifiers');
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const drawn = (characters: string, length: number): string =>
  times(length, () => characters[random.integer(characters.length)]!).join('');
const HEX = '0123456789abcdef';
const DIGITS = '0123456789';

const column: ModelCase['column'] = (name, rows, kind) => {
  const cell = (i: number): string | null =>
    kind === 'constant' ? 'same' : kind === 'missing' && i % 3 === 0 ? null : `ID-${((i * 7919) % 9973) + 10_000}`;
  return text(name, times(rows, cell));
};
const given: ModelCase['given'] = (name, rows) =>
  category(
    name,
    times(rows, (i) => ['a', 'b', null][i % 3] ?? null),
  );

modelSuite({ model: identifierPattern, column, given, columns: 3 });

async function regenerated(real: (string | null)[], rows = real.length, seed = 1): Promise<string[]> {
  const fitted = await identifierPattern.fit(fitTask(tableOf(text('id', real)), ['id'], [], seed));
  const columns = await fitted.sample({ rows, made: tableOf(), random: createStream(seed, 's'), onProgress: silent });
  return textsOf(columns, 'id').map((cell) => cell ?? '');
}

const uuid = (): string =>
  `${drawn(HEX, 8)}-${drawn(HEX, 4)}-4${drawn(HEX, 3)}-${drawn('89ab', 1)}${drawn(HEX, 3)}-${drawn(HEX, 12)}`;

describe('identifiers that count', () => {
  test.each<[string, string[], string[]]>([
    ['running numbers', times(5, (i) => `${i + 1}`), ['6', '7', '8']],
    ['numbers with zeros in front', times(5, (i) => `00${i + 5}`), ['010', '011', '012']],
    ['numbers that grow past their zeros', times(6, (i) => String(i + 95).padStart(2, '0')), ['101', '102', '103']],
    ['numbers in steps of ten', times(5, (i) => `${10 * i + 10}`), ['60', '70', '80']],
    ['numbers that go down', times(5, (i) => `${9 - i}`), ['12', '11', '10']],
    [
      'prefixed numbers',
      times(5, (i) => `INV-2024-${String(i + 1).padStart(4, '0')}`),
      ['INV-2024-0006', 'INV-2024-0007', 'INV-2024-0008'],
    ],
    [
      'numbers inside an address',
      times(5, (i) => `https://a.b/rooms/${i + 98}?x`),
      ['https://a.b/rooms/103?x', 'https://a.b/rooms/104?x', 'https://a.b/rooms/105?x'],
    ],
    ['whole numbers written as decimals', times(12, (i) => `${i + 1}.0`), ['13.0', '14.0', '15.0']],
    [
      '18 digits',
      times(5, (i) => `12345678901234567${i}`),
      ['123456789012345675', '123456789012345676', '123456789012345677'],
    ],
  ])('go on after the last real one: %s', async (_, real, next) => {
    expect(await regenerated(real, 3)).toEqual(next);
  });

  test('go up by steps of their own where the real ones have gaps', async () => {
    const real = times(200, (i) => String(2539 + 7 * i + (i % 5)));
    const made = (await regenerated(real)).map(Number);
    expect(made.every((id, i) => id > (i === 0 ? Number(real.at(-1)) : made[i - 1]!))).toBe(true);
    const span = made.at(-1)! - made[0]!;
    expect(span).toBeGreaterThan(0.8 * 199 * 7);
    expect(span).toBeLessThan(1.2 * 199 * 7);
  });

  test('stand as often as they did where the rows of one stand together', async () => {
    const real = times(300, (i) => String(Math.floor(i / 3) + 1));
    expect(await regenerated(real, 7)).toEqual(['101', '101', '101', '102', '102', '102', '103']);
  });
});

describe('identifiers that are drawn', () => {
  const columns: [string, () => string, RegExp][] = [
    ['UUIDs of version 4', uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/],
    ['number plates', () => `${drawn('ABCDEFGHJK', 2)} ${drawn(DIGITS, 5)}`, /^[A-K]{2} \d{5}$/],
    ['18 digits', () => `7${drawn(DIGITS, 17)}`, /^7\d{17}$/],
    ['postcodes with zeros in front', () => drawn(DIGITS, 7), /^\d{7}$/],
    [
      'tickets',
      () => (random.integer(2) ? `PC ${drawn('123456789', 5)}` : drawn('123456789', 6)),
      /^(PC \d{5}|\d{6})$/,
    ],
    ['addresses', () => `${drawn('abcdefgh', 8)}@example.com`, /^[a-z]{8}@example\.com$/],
    ['emoji beside digits', () => `😀${drawn(DIGITS, 6)}`, /^😀\d{6}$/u],
  ];

  test.each(columns)('have the form of the real ones, are distinct, and none is real: %s', async (_, make, form) => {
    const real = [...new Set(times(400, make))];
    const made = await regenerated(real, 1000);
    for (const id of made) expect(id).toMatch(form);
    expect(new Set(made).size).toBe(1000);
    expect(made.filter((id) => real.includes(id))).toEqual([]);
  });

  test('grow by a digit where the real ones leave no room', async () => {
    const real = times(90, (i) => `A${10 + ((i * 37) % 90)}`);
    const made = await regenerated(real, 500);
    expect(new Set([...made, ...real]).size).toBe(590);
    for (const id of made) expect(id).toMatch(/^A\d{2,3}$/);
  });

  test('repeat as the real ones do', async () => {
    const pool = times(50, () => drawn(DIGITS, 8));
    const real = times(600, (i) => pool[i % 50]!);
    const made = await regenerated(real, 1200);
    expect(new Set(made).size).toBe(100);
    expect(made.filter((id) => pool.includes(id))).toEqual([]);
    expect(made.slice(1).filter((id, i) => id === made[i]).length).toBeLessThan(60);
  });

  test('are inferred from one cell, and from two', async () => {
    for (const real of [['AB-1234'], ['AB-1234', 'CD-9']]) {
      const made = await regenerated(real, 20);
      expect(new Set([...made, ...real]).size).toBe(20 + real.length);
      for (const id of made) expect(id).toMatch(/^[A-Z]{2}-\d+$/);
    }
  });

  test('are unique and never real, whatever the real ones are', async () => {
    const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 6, unit: 'grapheme' }), {
      minLength: 1,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(ids, fc.integer({ min: 1, max: 60 }), async (real, rows) => {
        const made = await regenerated(real, rows);
        expect(made.length).toBe(rows);
        expect(new Set(made).size).toBe(rows);
        expect(made.filter((id) => real.includes(id))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

describe('identifiers with check digits', () => {
  const isbn = (): string => {
    const body = `978${drawn(DIGITS, 9)}`;
    const sum = [...body].reduce((total, digit, i) => total + Number(digit) * (i % 2 === 0 ? 1 : 3), 0);
    return `${body}${(10 - (sum % 10)) % 10}`;
  };

  test('come out with valid ones, none of them real', async () => {
    const real = times(300, isbn);
    const made = await regenerated(real);
    expect(new Set(made).size).toBe(300);
    expect(made.filter((id) => real.includes(id))).toEqual([]);
    for (const id of made) expect(validator.isISBN(id), id).toBe(true);
  });

  test('have them named in the notes', async () => {
    const fitted = await identifierPattern.fit(fitTask(tableOf(text('id', times(50, isbn))), ['id'], []));
    expect(JSON.stringify(fitted.diagnostics())).toContain('with valid check digits (ISBN)');
  });
});

describe('words of a row in its key', () => {
  const FIRST = ['Anna', 'Bruno', 'Chloé', 'Dora', 'Emil', 'Frida', 'Jürgen', 'Nils'];
  const LAST = ['Brook', 'Dale', 'Fields', 'Heath', 'Marsh', 'Müller', 'Ridge', 'Stone'];
  const words = createStream(12, 'names');
  const anyName = (): string => `${FIRST[words.integer(8)]} ${LAST[words.integer(8)]}`;
  const names = times(400, anyName);
  const made = times(300, anyName);
  const ascii = (word: string): string => word.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
  const wordsOf = (name: string): [string, string] => {
    const [first = '', last = ''] = name.split(' ').map(ascii);
    return [first, last];
  };

  async function keysBeside(write: (name: string, i: number) => string, synthetic: (string | null)[] = made) {
    const table = tableOf(text('name', names), text('mail', names.map(write)));
    const fitted = await identifierPattern.fit(fitTask(table, ['mail'], ['name']));
    const again = identifierPattern.restore(JSON.parse(JSON.stringify(fitted.save())));
    const task = { rows: synthetic.length, made: tableOf(text('name', synthetic)), onProgress: silent };
    const columns = await fitted.sample({ ...task, random: createStream(5, 's') });
    expect(await again.sample({ ...task, random: createStream(5, 's') })).toEqual(columns);
    return { keys: textsOf(columns, 'mail').map((cell) => cell ?? ''), notes: fitted.diagnostics().notes };
  }

  test.each<[string, (first: string, last: string, i: number) => string, RegExp]>([
    [
      'both',
      (first, last, i) => `${first}.${last}${i}@example.org`,
      /^(?<first>[a-z]+)\.(?<last>[a-z]+)\d+@example\.org$/,
    ],
    [
      'an initial',
      (first, last, i) => `${first[0]}${last}.${i}@example.org`,
      /^(?<one>[a-z])(?<last>[a-z]+)\.\d+@example\.org$/,
    ],
    [
      'one, in an address',
      (_, last, i) => `https://${last}-${i}.example/`,
      /^https:\/\/(?<last>[a-z]+)-\d+\.example\/$/,
    ],
  ])('are those of the new row: %s', async (_, write, form) => {
    const { keys, notes } = await keysBeside((name, i) => write(...wordsOf(name), i));
    expect(notes).toEqual([expect.stringContaining('with words of "name"')]);
    expect(new Set(keys).size).toBe(keys.length);
    keys.forEach((key, i) => {
      const [first, last] = wordsOf(made[i]!);
      const { first: own, one, last: family } = form.exec(key)?.groups ?? {};
      expect(family, key).toBe(last);
      if (own !== undefined) expect(own).toBe(first);
      if (one !== undefined) expect(one).toBe(first[0]);
    });
  });

  test('stay unlike every real key, and have the words of another row where theirs has none', async () => {
    const real = new Set(names.map((name, i) => `${wordsOf(name).join('.')}${i}@example.org`));
    const { keys } = await keysBeside((name, i) => `${wordsOf(name).join('.')}${i}@example.org`, [null, ...names]);
    expect(keys.filter((key) => real.has(key))).toEqual([]);
    expect(keys[0]).toMatch(/^[a-z]+\.[a-z]+\d+@example\.org$/);
  });

  test('are not looked for where keys are of other words than their rows', async () => {
    const { notes } = await keysBeside((_, i) => `${wordsOf(names[(i * 7 + 11) % 400]!).join('.')}${i}@example.org`);
    expect(notes).toEqual([expect.not.stringContaining('with words of')]);
  });
});
