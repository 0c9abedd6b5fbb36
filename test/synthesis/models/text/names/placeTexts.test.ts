import { allFakers, type Faker } from '@faker-js/faker';
import { describe, expect, test } from 'vitest';
import { createStream } from '../../../../../packages/numerics/random/createStream.ts';
import {
  fitPlaceTexts,
  placeTextsSchema,
  writePlaceTexts,
} from '../../../../../packages/synthesis/models/text/names/placeTexts.ts';

function texts(language: 'en' | 'de' | 'fr', make: (faker: Faker) => string, rows = 600): string[] {
  const faker = allFakers[language];
  faker.seed(5);
  return Array.from({ length: rows }, () => make(faker));
}

async function written(real: readonly string[], column: string, seed = 1): Promise<string[]> {
  const fitted = await fitPlaceTexts(real, column);
  if (!fitted) throw new Error(`${column} was taken for something else`);
  const restored = placeTextsSchema.parse(JSON.parse(JSON.stringify(fitted)));
  const all = new Set(real);
  const made = await writePlaceTexts(restored, 300, createStream(seed, 'places'), (text) => !all.has(text));
  return made.map((text) => text ?? '');
}

const address = (faker: Faker): string =>
  `${faker.location.streetAddress()}, ${faker.location.zipCode()} ${faker.location.city()}`;

describe('addresses, towns and firms', () => {
  test.each([
    ['en', 'address', address, /^\d+ [\p{L}\d'’ .-]+, \d{2,5}(-\d{4})? [\p{L}'’ .-]+$/u],
    ['de', 'Anschrift', address, /^[\p{L}\d'’ .-]+ \d+\p{L}?, \d{5} [\p{L}'’ .()-]+$/u],
    ['fr', 'street', (faker: Faker) => faker.location.streetAddress(), /^\d+ [\p{L}'’ .-]+$/u],
    ['en', 'city', (faker: Faker) => faker.location.city(), /^[\p{L}'’ .-]+$/u],
    ['de', 'company', (faker: Faker) => faker.company.name(), /^[\p{L}'’,.& -]+$/u],
  ] as const)('%s %s: keep their form, and none is real', async (language, column, make, form) => {
    const real = texts(language, make);
    const made = await written(real, column);
    expect(made.filter((text) => real.includes(text))).toEqual([]);
    expect(made.filter((text) => form.test(text)).length).toBeGreaterThan(0.9 * made.length);
    expect(new Set(made).size).toBeGreaterThan(180);
  });

  test('keep words of many rows as often as they are, and what follows them', async () => {
    const faker = allFakers.en;
    faker.seed(3);
    const real = Array.from({ length: 600 }, (_, i) => {
      const town = i % 2 === 0 ? 'New York' : i % 3 === 0 ? 'Los Angeles' : faker.location.city();
      return `${i + 1} ${faker.person.lastName()} Road, ${town}`;
    });
    const made = await written(real, 'address');
    const share = (part: string): number => made.filter((text) => text.endsWith(part)).length / made.length;
    expect(Math.abs(share('New York') - 0.5)).toBeLessThan(0.1);
    expect(share('New Angeles') + share('Los York')).toBe(0);
    expect(made.filter((text) => text.includes(' Road, ')).length).toBe(made.length);
  });

  test('hold no word that few rows have, unless a list of the language has it', async () => {
    const real = texts('en', (faker) => `${faker.number.int(999)} ${faker.location.street()}`);
    real[7] = '14 Zyxwvutsrq Lane';
    expect((await written(real, 'street')).join()).not.toContain('Zyxwvutsrq');
  });

  test('hold no word of one owner, however many texts have it', async () => {
    const real = texts('en', (faker) => `${faker.number.int(999)} ${faker.location.street()}`);
    for (let row = 0; row < 40; row++) real[row] = `${row + 1} Zyxwvutsrq Lane`;
    const owners = real.map((_, row) => (row < 40 ? 0 : row));
    const words = (fitted: unknown): string => JSON.stringify(fitted);
    expect(words(await fitPlaceTexts(real, 'street', owners))).not.toContain('Zyxwvutsrq');
    // Of forty owners it is a street like any other.
    expect(words(await fitPlaceTexts(real, 'street'))).toContain('Zyxwvutsrq');
  });

  test('are the same for the same seed, and others for another', async () => {
    const real = texts('en', address);
    const made = await written(real, 'address');
    expect(await written(real, 'address')).toEqual(made);
    expect(await written(real, 'address', 2)).not.toEqual(made);
  });

  test.each([
    ['title', (faker: Faker) => faker.book.title()],
    ['song', (faker: Faker) => faker.music.songName()],
    ['note', (faker: Faker) => faker.lorem.sentence(8)],
    ['product', (faker: Faker) => faker.commerce.productName()],
    ['job', (faker: Faker) => faker.person.jobTitle()],
    ['name', (faker: Faker) => faker.person.fullName()],
  ] as const)('are not seen in a column of %ss', async (column, make) => {
    expect(await fitPlaceTexts(texts('en', make), column)).toBeUndefined();
  });
});
