/** Names of persons, towns and streets by language: a library's lists, loaded only where a column looks as if it had some. */

import { evenly } from '../../../../numerics/rows.ts';
import { WORD } from '../../../../tables/detect/personNames.ts';

export interface NameLists {
  /** As the library calls the language and country: "de", "pt_BR". */
  locale: string;
  female: readonly string[];
  male: readonly string[];
  /** Given names that the lists do not divide. */
  given: readonly string[];
  family: readonly string[];
  /** Towns and streets; empty where the library has none of the language. */
  towns: readonly string[];
  streets: readonly string[];
}

/** Those that others contain, jokes, and the library's own. */
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

/** Texts looked at to know a language, at most. */
const MAX_TEXTS = 5_000;
/** Of a list of one country where there is one of the whole language. */
const COUNTRY_WEIGHT = 0.6;
/** Longer lists know more words of any language. */
const SIZE_POWER = 0.35;

export const sampled = (texts: readonly string[]): string[] => evenly(texts, MAX_TEXTS);

/** The lists that know most of the words for their size, of those that know a word of so large a share of the cells. */
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

/** `rows` texts as `draw` gives them; null where `mayStand` refused every one that was drawn. */
export const drawnTexts = (rows: number, draw: () => string, mayStand: (text: string) => boolean): (string | null)[] =>
  Array.from({ length: rows }, () => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const text = draw();
      if (mayStand(text)) return text;
    }
    return null;
  });
