/**
 * Addresses, towns and firms: "27 Bridge Road", "Keller & Söhne GmbH". A text is a form with places, filled with words
 * of many owners given the preceding word, else from a list. No word is spelt by letters, so none can leak.
 */
import { z } from 'zod';
import { weighted } from '../../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../../numerics/random/stream.ts';
import { tally } from '../../../../numerics/tally.ts';
import { type PlaceKind, placeKindOf } from '../../../../tables/detect/placeTexts.ts';
import type { Owners } from '../../../disclosure/guardTexts.ts';
import { COMMON_ROWS } from '../../../disclosure/thresholds.ts';
import { OwnedTally } from '../ownedTally.ts';
import { drawnTexts, folded, languageOf, type NameLists, nameLists, sampled } from './nameLists.ts';

const LISTS = ['given', 'family', 'towns', 'streets'] as const;
type ListName = (typeof LISTS)[number];

const placeSchema = z.object({
  /** Successors by preceding word; `RARE` replaces rare words and the start. */
  after: z.array(z.tuple([z.string(), z.array(z.tuple([z.string(), z.int().positive()])), z.int().min(0)])),
  list: z.enum(LISTS),
  /** Counts of rare words by length. */
  lengths: z.array(z.int().min(0)),
  /** Whether its words are capitalised. */
  isLoud: z.boolean(),
});

export const placeTextsSchema = z.object({
  locale: z.string(),
  forms: z.array(z.object({ parts: z.array(z.string()).min(1), count: z.int().positive() })).min(1),
  places: z.array(z.tuple([z.string(), placeSchema])),
});
export type PlaceTexts = z.infer<typeof placeTextsSchema>;
type Place = z.infer<typeof placeSchema>;

const MIN_DISTINCT = 50;
/** Maximum share of texts with rare forms. */
const LOST_FORMS = 0.5;
const FALLBACK_LOCALE = 'en';
const MIN_KNOWN = 0.1;
const SIZE_POWER = 0.35;
const RARE = '';
const DIGIT = '#';

const TOKEN = /\p{L}[\p{L}\p{M}'’]*|\d[\d\p{L}]*/gu;
const isNumber = (token: string): boolean => /^\d/.test(token);
/** "12a" becomes "##a". */
const shapeOf = (token: string): string => (isNumber(token) ? token.replace(/\d/g, DIGIT) : token);
/** Starts a new address line. */
const DIVIDES = /[,;\n]/;

/** Returns undefined for other texts. */
export async function fitPlaceTexts(
  texts: readonly string[],
  column: string,
  owners?: Owners,
): Promise<PlaceTexts | undefined> {
  if (new Set(texts).size < MIN_DISTINCT) return undefined;
  const kind = placeKindOf(column, sampled(texts));
  if (!kind) return undefined;
  const split = texts.map(splitUp);
  const forms = commonForms(split, owners);
  if (forms.reduce((sum, { count }) => sum + count, 0) < (1 - LOST_FORMS) * texts.length) return undefined;
  const wordsOf = (lists: NameLists): string[] => LISTS.flatMap((name) => listed(lists, name));
  const all = await nameLists();
  const lists = (await languageOf(texts, wordsOf, 0)) ?? all.find(({ locale }) => locale === FALLBACK_LOCALE)!;
  return { locale: lists.locale, forms, places: placesOf(split, { kind, lists, owners }) };
}

interface Split {
  tokens: string[];
  between: string[];
  /** Line and neighbours of each token. */
  places: string[];
}

function splitUp(text: string): Split {
  const tokens = text.match(TOKEN) ?? [];
  const between = text.split(TOKEN);
  let line = 0;
  const beside = (other: number, sign: string): string => {
    const own = tokens[other];
    if (own === undefined || DIVIDES.test(sign)) return '';
    return `${sign.trim().slice(0, 1)}${isNumber(own) ? 'n' : 'w'}`;
  };
  const places = tokens.map((token, at) => {
    if (at > 0 && DIVIDES.test(between[at]!)) line++;
    const own = isNumber(token) ? 'number' : 'word';
    return `${own} ${line} ${beside(at - 1, between[at]!)} ${beside(at + 1, between[at + 1]!)}`;
  });
  return { tokens, between, places };
}

function commonForms(split: readonly Split[], owners: Owners | undefined): PlaceTexts['forms'] {
  const met = new OwnedTally(owners);
  const partsOf = new Map<string, string[]>();
  for (const [text, { between, places }] of split.entries()) {
    const parts = places.flatMap((place, at) => [between[at]!, place]).concat(between.at(-1)!);
    const key = JSON.stringify(parts);
    partsOf.set(key, parts);
    met.add(key, text);
  }
  return met.common().map(([key, count]) => ({ parts: partsOf.get(key)!, count }));
}

interface Known {
  kind: PlaceKind;
  lists: NameLists;
  owners: Owners | undefined;
}

function placesOf(split: readonly Split[], { kind, lists, owners }: Known): [string, Place][] {
  const words = new Map<string, OwnedTally>();
  const after = new Map<string, Map<string, OwnedTally>>();
  const inner = <V>(map: Map<string, V>, key: string, made: () => V): V => {
    const own = map.get(key) ?? made();
    map.set(key, own);
    return own;
  };
  const tallied = (): OwnedTally => new OwnedTally(owners);
  for (const [text, { tokens, places }] of split.entries()) {
    for (const [at, own] of tokens.entries()) inner(words, places[at]!, tallied).add(shapeOf(own), text);
  }
  for (const [text, { tokens, places }] of split.entries()) {
    for (const [at, own] of tokens.entries()) {
      const last = at > 0 ? shapeOf(tokens[at - 1]!) : RARE;
      const before = at > 0 && words.get(places[at - 1]!)!.isCommon(last) ? last : RARE;
      inner(
        inner(after, places[at]!, () => new Map()),
        before,
        tallied,
      ).add(shapeOf(own), text);
    }
  }
  return [...after].map(([place, contexts]) => {
    const rare = words
      .get(place)!
      .rare()
      .filter((word) => !word.startsWith(DIGIT));
    const own = [...contexts].map(([before, met]): Place['after'][number] => [before, met.common(), met.rest]);
    const isLoud = rare.length > 0 && rare.every((word) => word === word.toUpperCase());
    return [place, { after: own, list: listFor(rare, place, kind, lists), lengths: lengthsOf(rare), isLoud }];
  });
}

function lengthsOf(words: readonly string[]): number[] {
  const counts = new Array<number>(1 + Math.max(0, ...words.map(({ length }) => length))).fill(0);
  for (const { length } of words) counts[length]!++;
  return counts;
}

/** Returns the list that best matches rare words for its size, else the usual one. */
function listFor(rare: readonly string[], place: string, kind: PlaceKind, lists: NameLists): ListName {
  let best: { name: ListName; score: number } | undefined;
  for (const name of LISTS) {
    const known = new Set(listed(lists, name).map(folded));
    const hits = rare.filter((word) => known.has(folded(word))).length;
    const score = hits / known.size ** SIZE_POWER;
    if (hits >= MIN_KNOWN * rare.length && hits > 0 && score > (best?.score ?? 0)) best = { name, score };
  }
  const isTown = kind === 'town' || (kind === 'address' && place.split(' ')[1] !== '0');
  return best?.name ?? (isTown && lists.towns.length >= MIN_DISTINCT ? 'towns' : 'family');
}

function listed(lists: NameLists, name: ListName): string[] {
  if (name !== 'streets') return lists[name].filter((entry) => !entry.includes(' '));
  // Words of many streets name a kind ("Road").
  const words = lists.streets.flatMap((street) => street.match(TOKEN) ?? []).filter((word) => !isNumber(word));
  return [...tally(words)].flatMap(([word, rows]) => (rows < COMMON_ROWS && word.length > 2 ? [word] : []));
}

/** Null if `mayStand` refuses every attempt. */
export async function writePlaceTexts(
  { locale, forms, places }: PlaceTexts,
  rows: number,
  random: RandomStream,
  mayStand: (text: string) => boolean,
): Promise<(string | null)[]> {
  const lists = (await nameLists()).find((own) => own.locale === locale);
  if (!lists) throw new Error(`there are no lists of the language ${locale}`);
  const drawForm = weighted(forms.map(({ count }) => count));
  const drawers = new Map(places.map(([name, place]) => [name, tokenDrawer(name, place, lists)]));
  const draw = (): string => {
    let before = RARE;
    return forms[drawForm(random)]!.parts.map((part, at) => {
      if (at % 2 === 0) return part;
      const drawn = drawers.get(part)!(before, random);
      before = drawn.isCommon ? drawn.shape : RARE;
      return drawn.text;
    }).join('');
  };
  return drawnTexts(rows, draw, mayStand);
}

interface Drawn {
  text: string;
  shape: string;
  isCommon: boolean;
}

function tokenDrawer(
  name: string,
  { after, list, lengths, isLoud }: Place,
  lists: NameLists,
): (before: string, random: RandomStream) => Drawn {
  const isOfNumbers = name.startsWith('number');
  const entries = listed(lists, list).map((word) => (isLoud ? word.toUpperCase() : word));
  const contexts = new Map(
    after.map(([before, common, rest]) => [before, { common, draw: weighted([...common.map(([, n]) => n), rest]) }]),
  );
  const byLength = entriesByLength(entries, lengths.length);
  const drawLength = lengths.some((count) => count > 0) ? weighted(lengths) : () => 0;
  const rareWord = (random: RandomStream): string => {
    const own = byLength[drawLength(random)] ?? entries;
    return own[random.integer(own.length)]!;
  };
  return (before, random) => {
    const context = contexts.get(before) ?? contexts.get(RARE) ?? [...contexts.values()][0];
    const shape = context?.common[context.draw(random)]?.[0];
    if (shape !== undefined) return { shape, text: isOfNumbers ? withDigits(shape, random) : shape, isCommon: true };
    const text = isOfNumbers ? withDigits('##', random) : rareWord(random);
    return { shape: text, text, isCommon: false };
  };
}

function entriesByLength(entries: readonly string[], count: number): (readonly string[])[] {
  return Array.from({ length: count }, (_, length) => {
    if (length === 0) return entries;
    const away = (entry: string): number => Math.abs(entry.length - length);
    const nearest = Math.min(...entries.map(away));
    return entries.filter((entry) => away(entry) === nearest);
  });
}

const withDigits = (shape: string, random: RandomStream): string =>
  shape.replace(/#/g, (_, at: number) => String(at === 0 ? 1 + random.integer(9) : random.integer(10)));
