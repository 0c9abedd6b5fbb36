/**
 * E-mail addresses, telephone numbers, handles and long numbers in texts: what leads to a person. Those that few training
 * rows have, and all that were made up on the way, get letters and digits drawn anew in the same form.
 */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { COMMON_ROWS, hashText } from './verbatim.ts';

/** E-mail addresses; handles behind an @; numbers of seven digits or more, with what stands between digits in one. */
const CONTACT =
  /[\p{L}\d._%+-]+@[\p{L}\d-]+(?:\.[\p{L}\d-]+)*\.\p{L}{2,}|(?<![\p{L}\d_])@[\p{L}\d_]{2,}|(?<![\p{L}\d])\+?\d(?:[ ().\-/]{0,2}\d){6,}(?![\p{L}\d])/gu;
/** Dates and spans of years have as many digits. */
const DATES = /^(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{4}|(?:19|20)\d\d-(?:19|20)\d\d)$/;
/** The end of an e-mail address says no one: it stays. */
const ENDING = /\.\p{L}+$/u;
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const ATTEMPTS = 20;

/** Hashes of the contacts of the training rows: all of them, and those of so many rows that they are no one's. */
export interface KnownContacts {
  all: ReadonlySet<number>;
  common: ReadonlySet<number>;
}

export function learnContacts(texts: readonly string[]): KnownContacts {
  const counts = new Map<number, number>();
  for (const text of texts) {
    const own = new Set([...text.matchAll(CONTACT)].map(([contact]) => hashText(contact.toLowerCase())));
    for (const hash of own) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  const common = [...counts].flatMap(([hash, count]) => (count >= COMMON_ROWS ? [hash] : []));
  return { all: new Set(counts.keys()), common: new Set(common) };
}

/** The text with invented contacts in place of all that are not common. */
export const inventContacts = (text: string, { all, common }: KnownContacts, random: RandomStream): string =>
  text.replace(CONTACT, (contact) => {
    if (DATES.test(contact) || common.has(hashText(contact.toLowerCase()))) return contact;
    for (let tries = 0; tries < ATTEMPTS; tries++) {
      const made = invented(contact, random);
      if (!all.has(hashText(made.toLowerCase()))) return made;
    }
    return '';
  });

function invented(contact: string, random: RandomStream): string {
  const ending = contact.includes('@') && !contact.startsWith('@') ? (ENDING.exec(contact)?.[0] ?? '') : '';
  const drawn = [...contact.slice(0, contact.length - ending.length)].map((unit, at) => {
    if (/\d/.test(unit)) return String(at === 0 && unit !== '0' ? 1 + random.integer(9) : random.integer(10));
    if (!/\p{L}/u.test(unit)) return unit;
    const letter = LOWER[random.integer(LOWER.length)]!;
    return unit === unit.toLowerCase() ? letter : letter.toUpperCase();
  });
  return drawn.join('') + ending;
}
