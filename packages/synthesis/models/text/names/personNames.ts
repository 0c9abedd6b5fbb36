/**
 * Personal names: "Miller, Ann", "Braund, Mr. Owen Harris". A name is a form with places, filled with words of many
 * owners, else from a list. No word is spelt by letters, so none can leak.
 */
import { z } from 'zod';
import { weighted } from '../../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../../numerics/random/stream.ts';
import { isCalledNames, lookLikeNames, WORD } from '../../../../tables/detect/personNames.ts';
import type { Owners } from '../../../disclosure/guardTexts.ts';
import { COMMON_ROWS } from '../../../disclosure/thresholds.ts';
import { OwnedTally } from '../ownedTally.ts';
import { drawnTexts, folded, languageOf, type NameLists, nameLists, sampled } from './nameLists.ts';

const drawnSchema = z.object({ words: z.array(z.string()), counts: z.array(z.int().positive()), rest: z.int().min(0) });
type Drawn = z.infer<typeof drawnSchema>;

const formSchema = z.object({
  count: z.int().positive(),
  /** Titles and signs, and marks for names and initials. */
  parts: z.array(z.string()),
  given: drawnSchema,
  sex: z.enum(['female', 'male', 'given']),
});
type Form = z.infer<typeof formSchema>;

export const personNamesSchema = z.object({
  locale: z.string(),
  forms: z.array(formSchema).min(1),
  family: drawnSchema,
});
export type PersonNames = z.infer<typeof personNamesSchema>;

const GIVEN = '\u0001';
const FAMILY = '\u0002';
const INITIAL = '\u0003';

const MIN_DISTINCT = 50;
/** Minimum share of cells with a listed word. */
const KNOWN_SHARE = 0.6;
const KNOWN_SHARE_NAMED = 0.2;
/** Maximum share of rows with rare forms. */
const LOST_FORMS = 0.5;
/** Minimum share of rows for a title. */
const TITLE_SHARE = 0.005;

/** Minimum ratio to given names in a place of family names. */
const FAMILY_OF_GIVEN = 0.4;
const namesOf = ({ female, male, given, family }: NameLists): string[] => [...female, ...male, ...given, ...family];

/** Returns undefined for other texts. */
export async function fitPersonNames(
  texts: readonly string[],
  column: string,
  owners?: Owners,
): Promise<PersonNames | undefined> {
  if (new Set(texts).size < MIN_DISTINCT || !lookLikeNames(sampled(texts))) return undefined;
  const share = isCalledNames(column) ? KNOWN_SHARE_NAMED : KNOWN_SHARE;
  const lists = await languageOf(texts, namesOf, share);
  if (!lists) return undefined;
  const split = texts.map((text) => splitUp(text));
  const kindOf = kindsOf(split, lists, owners);
  const forms = formsOf(split, kindOf, lists, owners);
  const kept = forms.reduce((sum, { count }) => sum + count, 0);
  if (kept < LOST_FORMS * texts.length) return undefined;
  const family = new OwnedTally(owners);
  for (const [text, own] of split.entries())
    for (const word of wordsOfKind(own, kindOf, FAMILY)) family.add(word, text);
  return { locale: lists.locale, forms, family: drawnFrom(family) };
}

interface Split {
  words: string[];
  between: string[];
}

function splitUp(text: string): Split {
  const words = text.match(WORD) ?? [];
  return { words, between: text.split(WORD) };
}

/** Mark of a word, or a title itself. */
type KindOf = (split: Split, at: number) => string;

const wordsOfKind = (own: Split, kindOf: KindOf, kind: string): string[] =>
  own.words.filter((_, at) => kindOf(own, at) === kind);

/** Finds titles by owners, and classifies places by lists. */
function kindsOf(split: readonly Split[], lists: NameLists, owners: Owners | undefined): KindOf {
  const given = new Set([...lists.female, ...lists.male, ...lists.given].map(folded));
  const family = new Set(lists.family.map(folded));
  const met = new OwnedTally(owners);
  const all = { given: 0, family: 0 };
  const places = new Map<string, typeof all>();
  for (const [text, own] of split.entries()) {
    for (const word of own.words) met.add(word, text);
    own.words.forEach((word, at) => {
      const place = places.get(placeOf(own, at)) ?? { given: 0, family: 0 };
      places.set(placeOf(own, at), place);
      for (const hits of [place, all]) {
        hits.given += Number(given.has(folded(word)));
        hits.family += Number(family.has(folded(word)));
      }
    });
  }
  /** Compares shares, since lists lack many family names. */
  const hasFamily = (place: string): boolean => {
    const hits = places.get(place) ?? all;
    const mostly = hits.family * all.given > hits.given * all.family;
    return hits.family > hits.given || (mostly && hits.family >= FAMILY_OF_GIVEN * hits.given);
  };
  const least = Math.max(COMMON_ROWS, TITLE_SHARE * split.length);
  return (own, at) => {
    const word = own.words[at]!;
    if ([...word].length === 1) return INITIAL;
    const known = folded(word);
    if (met.ownersOf(word) >= least && !given.has(known) && !family.has(known)) return word;
    return hasFamily(placeOf(own, at)) ? FAMILY : GIVEN;
  };
}

const placeOf = ({ words, between }: Split, at: number): string =>
  JSON.stringify([at === 0, between[at]!.trim(), between[at + 1]!.trim(), at === words.length - 1]);

function formsOf(split: readonly Split[], kindOf: KindOf, lists: NameLists, owners: Owners | undefined): Form[] {
  const met = new OwnedTally(owners);
  const groups = new Map<string, { parts: string[]; texts: number[]; given: OwnedTally }>();
  for (const [text, own] of split.entries()) {
    const parts = own.words.flatMap((_, at) => [own.between[at]!, kindOf(own, at)]).concat(own.between.at(-1)!);
    const key = JSON.stringify(parts);
    met.add(key, text);
    const group = groups.get(key) ?? { parts, texts: [], given: new OwnedTally(owners) };
    groups.set(key, group);
    group.texts.push(text);
    for (const word of wordsOfKind(own, kindOf, GIVEN)) group.given.add(word, text);
  }
  return met.common().map(([key, count]) => {
    const { parts, texts, given } = groups.get(key)!;
    const words = texts.flatMap((text) => wordsOfKind(split[text]!, kindOf, GIVEN));
    return { count, parts, given: drawnFrom(given), sex: sexOf(words, lists) };
  });
}

function drawnFrom(words: OwnedTally): Drawn {
  const common = words.common();
  return { words: common.map(([word]) => word), counts: common.map(([, count]) => count), rest: words.rest };
}

const ONE_SEX = 0.75;

function sexOf(given: readonly string[], { female, male }: NameLists): Form['sex'] {
  const [women, men] = [new Set(female.map(folded)), new Set(male.map(folded))];
  const of = (own: ReadonlySet<string>, other: ReadonlySet<string>): number =>
    given.filter((word) => own.has(folded(word)) && !other.has(folded(word))).length;
  const [her, his] = [of(women, men), of(men, women)];
  if (her >= COMMON_ROWS && her >= ONE_SEX * (her + his)) return 'female';
  return his >= COMMON_ROWS && his >= ONE_SEX * (her + his) ? 'male' : 'given';
}

/** Null if `mayStand` refuses every attempt. */
export async function writePersonNames(
  { locale, forms, family }: PersonNames,
  rows: number,
  random: RandomStream,
  mayStand: (text: string) => boolean,
): Promise<(string | null)[]> {
  const lists = (await nameLists()).find((own) => own.locale === locale);
  if (!lists) throw new Error(`there are no names of the language ${locale}`);
  const drawForm = weighted(forms.map(({ count }) => count));
  const drawFamily = wordDrawer(family, lists.family);
  const drawGiven = forms.map(({ given, sex }) => wordDrawer(given, lists[sex].length > 0 ? lists[sex] : lists.given));
  const draw = (): string => {
    const at = drawForm(random);
    const { parts } = forms[at]!;
    const write: Readonly<Record<string, () => string>> = {
      [GIVEN]: () => drawGiven[at]!(random),
      [FAMILY]: () => drawFamily(random),
      [INITIAL]: () => drawGiven[at]!(random).slice(0, 1),
    };
    return parts.map((part) => write[part]?.() ?? part).join('');
  };
  return drawnTexts(rows, draw, mayStand);
}

function wordDrawer({ words, counts, rest }: Drawn, list: readonly string[]): (random: RandomStream) => string {
  if (words.length === 0) return (random) => list[random.integer(list.length)]!;
  const place = weighted([...counts, rest]);
  return (random) => {
    const at = place(random);
    return words[at] ?? list[random.integer(list.length)]!;
  };
}
