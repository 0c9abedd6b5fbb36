/** Names, towns and streets by language, loaded only if needed. */

import { evenly } from '../../../../numerics/rows.ts';
import { WORD } from '../../../../tables/detect/personNames.ts';

export interface NameLists {
  /** The library's code: "de", "pt_BR". */
  locale: string;
  female: readonly string[];
  male: readonly string[];
  /** Unisex or unclassified. */
  given: readonly string[];
  family: readonly string[];
  /** May be empty. */
  towns: readonly string[];
  streets: readonly string[];
}

/** Partial or joke lists. */
const LEFT_OUT = new Set(['base', 'eo', 'en_BORK', 'en_AU_ocker']);

let loaded: Promise<readonly NameLists[]> | undefined;

export const nameLists = (): Promise<readonly NameLists[]> => {
  loaded ??= load();
  return loaded;
};

async function load(): Promise<NameLists[]> {
  const { allLocales } = await import('@faker-js/faker');
  return Object.entries(allLocales).flatMap(([locale, { person, location }]): NameLists[] => {
    const { first_name: first, last_name: last } = person ?? {};
    if (LEFT_OUT.has(locale) || !first || !last) return [];
    const lists = {
      female: first.female ?? [],
      male: first.male ?? [],
      given: first.generic ?? [],
      family: [...(last.generic ?? []), ...(last.female ?? []), ...(last.male ?? [])],
      towns: location?.city_name ?? [],
      streets: location?.street_name ?? [],
    };
    const given = lists.given.length > 0 ? lists.given : [...lists.female, ...lists.male];
    return given.length > 0 && lists.family.length > 0 ? [{ locale, ...lists, given }] : [];
  });
}

const MAX_TEXTS = 5_000;
/** Weight relative to a list of the whole language. */
const COUNTRY_WEIGHT = 0.6;
/** Longer lists match more words of any language. */
const SIZE_POWER = 0.35;

export const sampled = (texts: readonly string[]): string[] => evenly(texts, MAX_TEXTS);

/** Returns the list that matches best for its size, if enough cells match. */
export async function languageOf(
  texts: readonly string[],
  wordsOf: (lists: NameLists) => readonly string[],
  share: number,
): Promise<NameLists | undefined> {
  const cells = sampled(texts).map((text) => (text.match(WORD) ?? []).map(folded));
  let best: { lists: NameLists; score: number } | undefined;
  const all = await nameLists();
  const isOfCountry = (locale: string): boolean => all.some((own) => locale.startsWith(`${own.locale}_`));
  for (const lists of all) {
    const known = new Set(wordsOf(lists).map(folded));
    const hits = cells.map((words) => words.filter((word) => known.has(word)).length);
    const found = hits.filter((count, i) => count > 0 && count >= cells[i]!.length / 4).length;
    const weight = isOfCountry(lists.locale) ? COUNTRY_WEIGHT : 1;
    const score = (weight * hits.reduce((sum, count) => sum + count, 0)) / known.size ** SIZE_POWER;
    if (found >= share * cells.length && score > (best?.score ?? 0)) best = { lists, score };
  }
  return best?.lists;
}

export const folded = (word: string): string => word.toLocaleLowerCase().replace(/’/g, "'");

const ATTEMPTS = 30;

/** Null if `mayStand` refuses every attempt. */
export const drawnTexts = (rows: number, draw: () => string, mayStand: (text: string) => boolean): (string | null)[] =>
  Array.from({ length: rows }, () => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const text = draw();
      if (mayStand(text)) return text;
    }
    return null;
  });
