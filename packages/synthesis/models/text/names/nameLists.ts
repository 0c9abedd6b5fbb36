/** Names of persons by language: a library's lists, loaded only where a column looks as if it had names. */

export interface NameLists {
  /** As the library calls the language and country: "de", "pt_BR". */
  locale: string;
  female: readonly string[];
  male: readonly string[];
  /** Given names that the lists do not divide. */
  given: readonly string[];
  family: readonly string[];
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
  return Object.entries(allLocales).flatMap(([locale, { person }]): NameLists[] => {
    const { first_name: first, last_name: last } = person ?? {};
    if (LEFT_OUT.has(locale) || !first || !last) return [];
    const lists = {
      female: first.female ?? [],
      male: first.male ?? [],
      given: first.generic ?? [],
      family: [...(last.generic ?? []), ...(last.female ?? []), ...(last.male ?? [])],
    };
    const given = lists.given.length > 0 ? lists.given : [...lists.female, ...lists.male];
    return given.length > 0 && lists.family.length > 0 ? [{ locale, ...lists, given }] : [];
  });
}
