import { describe, expect, it } from 'vitest';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import {
  buildGuard,
  findContacts,
  findRuns,
  guardSchema,
  hasRun,
  inventContacts,
  textJudge,
} from '../../../../packages/synthesis/disclosure/guardTexts.ts';

const letters = (seed: number, length: number): string => {
  const random = createStream(seed, 'letters');
  return Array.from({ length }, () => 'abcdefghij klmnop'[random.integer(17)]).join('');
};
const TEXTS = Array.from({ length: 200 }, (_, k) => letters(k, 300));

describe('runs shared with training rows', () => {
  const runs = findRuns(TEXTS);

  it('are found wherever 61 characters of a row stand in a text, and not where 45 do', () => {
    for (let k = 0; k < 200; k++) {
      const at = (k * 7) % 239;
      expect(hasRun(runs, letters(900 + k, 40) + TEXTS[k]!.slice(at, at + 61) + letters(500 + k, 30))).toBe(true);
      expect(hasRun(runs, letters(900 + k, 40) + TEXTS[k]!.slice(at, at + 45))).toBe(false);
    }
    expect(hasRun(runs, letters(777, 5000))).toBe(false);
  });

  it('may be as frequent as among real rows, which is never where they have none', () => {
    expect(runs.rate).toBe(0);
    const shared = TEXTS.map((text, k) => (k % 4 < 2 ? text : `${TEXTS[k - 2]!.slice(20, 120)}${text}`));
    // Half of the rows begin with a run of another one, which has it too.
    expect(findRuns(shared).rate).toBeCloseTo(1, 1);
    const guard = buildGuard(TEXTS.map((text, k) => (k % 20 === 1 ? TEXTS[k - 1]!.slice(0, 100) + text : text)));
    const judge = textJudge(guard, 100);
    const accepted = TEXTS.filter((text, k) => judge.mayStand(letters(300 + k, 20) + text.slice(0, 80))).length;
    expect(accepted).toBe(Math.floor(guard.runs.rate * 100));
    expect(accepted).toBe(10);
    expect(judge.mayHave(TEXTS[3]!.slice(0, 61))).toBe(false);
    expect(judge.mayHave(letters(301, 61))).toBe(true);
    expect(textJudge(guard, 100).mayHave(TEXTS[3]!.slice(0, 61))).toBe(true);
  });

  it('of many rows are no one’s', () => {
    const greeting = letters(5001, 90);
    const common = findRuns(TEXTS.map((text) => greeting + text));
    expect(hasRun(common, greeting)).toBe(false);
    expect(hasRun(common, TEXTS[3]!)).toBe(true);
  });
});

describe('contacts', () => {
  const known = findContacts([
    'write to anna.berg@mail.example.org or call +47 22 33 44 55',
    ...Array.from({ length: 5 }, () => '@BigAirline where is my bag? Booking 1234567'),
    '@lonely_user thanks',
  ]);
  const invent = (text: string, seed = 1): string => inventContacts(text, known, createStream(seed, 'contacts'));

  it.each([
    ['anna.berg@mail.example.org', /^[a-z]{4}\.[a-z]{4}@[a-z]{4}\.[a-z]{7}\.org$/],
    ['+47 22 33 44 55', /^\+\d\d \d\d \d\d \d\d \d\d$/],
    ['(030) 1234-5678 90', /^\(\d{3}\) \d{4}-\d{4} \d\d$/],
    ['@lonely_user', /^@[a-z]{6}_[a-z]{4}$/],
    ['DE 9999888877776666', /^DE \d{16}$/],
    ['no. 48302', /^no\. \d{5}$/],
  ])('%s gets new letters and digits in the same form', (text, form) => {
    const made = invent(text);
    expect(made).toMatch(form);
    expect(made).not.toBe(text);
    expect(invent(text)).toBe(made);
    expect(invent(text, 2)).not.toBe(made);
  });

  it('of five rows or more stay, and so does what is no contact', () => {
    const text =
      '@BigAirline: 1234567 on 2026-11-21, 21/11/2026, in 2019-2026, 12.50 for 3 @ 20, a 1,250,000 house, v1.2.3, 0.12345, 4021 km';
    expect(invent(text)).toBe(text);
  });
});

describe('what one owner has in many rows', () => {
  const signature = `${letters(42, 90)} call +47 22 33 44 55`;
  const own = Array.from({ length: 8 }, (_, row) => (row < 6 ? `Note ${row}: ${signature}` : 'the same words'));
  const rows = [...own, ...own.map(() => 'Thank you!')];
  const owners = rows.map((_, row) => (row < 8 ? 0 : row));

  it.each([
    ['a text', 'the same words'],
    ['a text of many owners', 'Thank you!'],
  ])('is not common: %s', (_, text) => {
    const many = [...rows.slice(0, 6), ...Array.from({ length: 6 }, () => 'the same words'), ...rows.slice(8)];
    const whose = many.map((__, row) => (row < 12 ? 0 : row));
    expect(textJudge(buildGuard(many, whose), 100).mayStand(text)).toBe(text === 'Thank you!');
    expect(textJudge(buildGuard(many), 100).mayStand(text)).toBe(true);
  });

  it('is not common: a run of characters, and a telephone number', () => {
    const [byOwner, byRow] = [buildGuard(rows, owners), buildGuard(rows)];
    expect([hasRun(byOwner.runs, signature), hasRun(byRow.runs, signature)]).toEqual([true, false]);
    expect(byOwner.runs.rate).toBe(0);
    expect([byOwner.contacts.common.size, byRow.contacts.common.size]).toEqual([0, 1]);
  });
});

it('a guard is saved and restored', () => {
  const guard = buildGuard([...TEXTS, 'write to a@b.org']);
  expect(guardSchema.parse(JSON.parse(JSON.stringify(guardSchema.encode(guard))))).toEqual(guard);
});
