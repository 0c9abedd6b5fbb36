/** Uses @faker-js/faker (MIT). */
import { allLocales, Faker } from '@faker-js/faker';

const SEED = 1;
/** Duplicates and jokes. */
const LEFT_OUT = new Set(['base', 'eo', 'en_BORK', 'en_AU_ocker']);
const LATIN = /^[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]+$/u;

const KINDS: readonly (readonly [count: number, make: (faker: Faker) => string])[] = [
  [150, (faker) => faker.person.fullName()],
  [100, (faker) => faker.company.name()],
  [100, (faker) => `${faker.location.streetAddress()}, ${faker.location.zipCode()} ${faker.location.city()}`],
  [60, (faker) => faker.location.streetAddress()],
  [60, (faker) => faker.location.city()],
  [60, (faker) => faker.commerce.productName()],
  [60, (faker) => faker.person.jobTitle()],
];

for (const [name, locale] of Object.entries(allLocales)) {
  if (LEFT_OUT.has(name)) continue;
  const faker = new Faker({ locale: [locale], seed: SEED });
  const texts = KINDS.flatMap(([count, make]) => Array.from({ length: count }, () => madeOrNone(faker, make)));
  for (const text of new Set(texts)) if (text !== null && LATIN.test(text)) process.stdout.write(`${text}\n`);
}

/** Null if the language lacks the lists. */
function madeOrNone(faker: Faker, make: (faker: Faker) => string): string | null {
  try {
    return make(faker);
  } catch {
    return null;
  }
}
