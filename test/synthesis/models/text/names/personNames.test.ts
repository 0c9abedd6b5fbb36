import { allFakers } from '@faker-js/faker';
import { describe, expect, test } from 'vitest';
import { createStream } from '../../../../../packages/numerics/random/createStream.ts';
import {
  fitPersonNames,
  personNamesSchema,
  writePersonNames,
} from '../../../../../packages/synthesis/models/text/names/personNames.ts';

type Language = 'en' | 'de' | 'pt_BR' | 'pl';

function people(language: Language, write: (given: string, family: string, isWoman: boolean) => string): string[] {
  const faker = allFakers[language];
  faker.seed(5);
  return Array.from({ length: 400 }, (_, i) => {
    const sex = i % 2 === 0 ? 'female' : 'male';
    return write(faker.person.firstName(sex), faker.person.lastName(sex), sex === 'female');
  });
}

const written = async (texts: readonly string[], column = 'name', seed = 1) => {
  const fitted = await fitPersonNames(texts, column);
  if (!fitted) return undefined;
  const restored = personNamesSchema.parse(JSON.parse(JSON.stringify(fitted)));
  const real = new Set(texts);
  const made = await writePersonNames(restored, 300, createStream(seed, 'names'), (text) => !real.has(text));
  return { locale: fitted.locale, made: made.map((text) => text ?? '') };
};

describe('names of persons', () => {
  test.each<[Language, RegExp, (given: string, family: string, isWoman: boolean) => string]>([
    ['en', /^\p{L}+ \p{L}['’\p{L}]+$/u, (given, family) => `${given} ${family}`],
    ['de', /^[\p{L}'-]+, \p{L}+$/u, (given, family) => `${family}, ${given}`],
    [
      'pt_BR',
      /^(Sr\.|Sra\.) [\p{L}\s]+$/u,
      (given, family, isWoman) => `${isWoman ? 'Sra.' : 'Sr.'} ${given} ${family}`,
    ],
    ['pl', /^\p{L}+ \p{L}\. \p{Lu}[\p{L}-]+$/u, (given, family) => `${given} ${given[0]}. ${family}`],
  ])('keep their form, and none is real: %s', async (language, form, write) => {
    const real = people(language, write);
    const result = await written(real);
    expect(result?.made.filter((name) => real.includes(name))).toEqual([]);
    const inForm = result!.made.filter((name) => form.test(name));
    expect(inForm.length).toBeGreaterThan(0.9 * result!.made.length);
    expect(new Set(result!.made).size).toBeGreaterThan(200);
  });

  test('have the sex of their title', async () => {
    const result = await written(
      people('en', (given, family, isWoman) => `${family}, ${isWoman ? 'Mrs' : 'Mr'}. ${given}`),
    );
    const { first_name } = allFakers.en.definitions.person;
    const men = new Set(first_name?.male);
    const women = new Set(first_name?.female);
    const wrong = result!.made.filter((name) => {
      const given = name.split('. ')[1]!;
      return name.includes('Mrs.') ? men.has(given) && !women.has(given) : women.has(given) && !men.has(given);
    });
    expect(wrong.length).toBeLessThan(0.05 * result!.made.length);
  });

  test('hold no word of one owner, however many texts have it', async () => {
    const real = people('en', (given, family) => `${given} ${family}`);
    for (let row = 0; row < 40; row++) real[row] = `${real[row]!.split(' ')[0]} Zyxwvutsrq`;
    const owners = real.map((_, row) => (row < 40 ? 0 : row));
    const words = (fitted: unknown): string => JSON.stringify(fitted);
    expect(words(await fitPersonNames(real, 'name', owners))).not.toContain('Zyxwvutsrq');
    expect(words(await fitPersonNames(real, 'name'))).toContain('Zyxwvutsrq');
  });

  test('are the same for the same seed, and others for another', async () => {
    const real = people('en', (given, family) => `${given} ${family}`);
    const [one, same, other] = [await written(real), await written(real), await written(real, 'name', 2)];
    expect(same).toEqual(one);
    expect(other?.made).not.toEqual(one?.made);
  });

  test('are not seen in titles, prose, firms or codes', async () => {
    const faker = allFakers.en;
    faker.seed(8);
    for (const make of [
      () => faker.commerce.productName(),
      () => faker.lorem.sentence(6),
      () => faker.music.songName(),
      () => faker.location.streetAddress(),
      () => `AB-${faker.number.int(99999)}`,
    ]) {
      expect(await fitPersonNames(Array.from({ length: 200 }, make), 'item')).toBeUndefined();
    }
  });
});
