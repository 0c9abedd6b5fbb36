/** Tables of appointments, under names that say nothing: rows of one person have its key, sex, age and place. */
import { createStream } from '../../packages/numerics/random/createStream.ts';
import { shuffle } from '../../packages/numerics/random/draws.ts';
import type { RandomStream } from '../../packages/numerics/random/stream.ts';

export interface Appointment {
  key: string;
  sex: string;
  age: number;
  place: string;
}

export const drawn = (characters: string, length: number, random: RandomStream): string =>
  Array.from({ length }, () => characters[random.integer(characters.length)]).join('');

/** Keys by the number of the person, as the tables of the world have them. */
export const KEYS: Record<string, (person: number, random: RandomStream) => string> = {
  'whole numbers of 8 to 15 digits': (_, random) => drawn('123456789', 8 + random.integer(8), random),
  'whole numbers, of which a few have decimals': (person, random) =>
    `${drawn('123456789', 9 + random.integer(6), random)}${person === 60 ? '.29527' : ''}`,
  'whole numbers that an export made decimals': (_, random) => `${drawn('123456789', 11, random)}.0`,
  'hexadecimal digits': (_, random) => drawn('0123456789abcdef', 8, random),
  UUIDs: (_, random) => [8, 4, 4, 4, 12].map((length) => drawn('0123456789abcdef', length, random)).join('-'),
  'letters and digits': (_, random) => drawn('ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789', 10, random),
  'e-mail addresses': (person, random) => `${drawn('abcdefghij', 6, random)}${person}@example.org`,
  'telephone numbers': (_, random) =>
    `+47 ${drawn('123456789', 3, random)} 0${drawn('0123456789', 2, random)} ${drawn('0123456789', 2, random)}`,
  'running numbers behind a prefix': (person) => `C-${String(person + 120).padStart(5, '0')}`,
};

/** `rows` appointments of persons with `visits` each on average, in random order. */
export function appointments(
  rows: number,
  visits: number,
  keyOf: (person: number, random: RandomStream) => string,
  seed = 1,
): Appointment[] {
  const random = createStream(seed, 'appointments');
  const out: Appointment[] = [];
  const known = new Set<string>();
  for (let person = 0; out.length < rows; person++) {
    let key = keyOf(person, random);
    while (known.has(key)) key = keyOf(person, random);
    known.add(key);
    const who = {
      key,
      sex: random.integer(2) ? 'F' : 'M',
      age: random.integer(90),
      place: `place ${random.integer(40)}`,
    };
    const count = 1 + Math.floor(-Math.log(random.uniform()) * (visits - 0.5));
    for (let visit = 0; visit < count && out.length < rows; visit++) out.push(who);
  }
  shuffle(out, random);
  return out;
}
