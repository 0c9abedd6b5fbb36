/**
 * Addresses, towns and firms: "27 Bridge Road", "Hauptstr. 5, 4020 Linz", "Keller & Söhne GmbH". A text is a form (signs, and places of
 * words and numbers) and what stands in its places: words that many owners have, each after the word before it as often as it is there,
 * else one of a list of the language. Nothing spells words letter by letter, so that none of a row can come out of it.
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
  /** What stands here after a word, by the word; behind `RARE` after one of few rows and where none is before. */
  after: z.array(z.tuple([z.string(), z.array(z.tuple([z.string(), z.int().positive()])), z.int().min(0)])),
  list: z.enum(LISTS),
  /** Words of few rows, by their length. */
  lengths: z.array(z.int().min(0)),
  /** Whether its words are in capitals. */
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
/** Share of the texts whose form few others have, at most. */
const LOST_FORMS = 0.5;
const FALLBACK_LOCALE = 'en';
/** Of a place's rare words, those that a list must know to be taken for it. */
const MIN_KNOWN = 0.1;
/** Longer lists know more words of any kind. */
const SIZE_POWER = 0.35;
const RARE = '';
const DIGIT = '#';

/** Letters with their marks, or what begins with a digit. */
const TOKEN = /\p{L}[\p{L}\p{M}'’]*|\d[\d\p{L}]*/gu;
const isNumber = (token: string): boolean => /^\d/.test(token);
/** A number by its form: "12a" as "##a". */
const shapeOf = (token: string): string => (isNumber(token) ? token.replace(/\d/g, DIGIT) : token);
/** A sign that begins another line of an address. */
const DIVIDES = /[,;\n]/;

/**
 * The model of a column of addresses, towns or firms; undefined where the texts are something else.
 * @param column its name.
 * @param owners of each text, those of one owner one under the other; without them each is its own.
 */
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
  /** What stands before each token, and after the last. */
  between: string[];
  /** By token, where it stands: the line, and what is beside it there. */
  places: string[];
}

function splitUp(text: string): Split {
  const tokens = text.match(TOKEN) ?? [];
  const between = text.split(TOKEN);
  let line = 0;
  /** Nothing, a word or a number, and the sign that stands between. */
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

/** Words and shapes of numbers by their place; those of many owners, and after which of those. */
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

/** The list that knows most of the rare words for its size; what usually stands in such a place where none knows many. */
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

/** Single words of a list. */
function listed(lists: NameLists, name: ListName): string[] {
  if (name !== 'streets') return lists[name].filter((entry) => !entry.includes(' '));
  // Words that many streets share are their kind ("Road"), those of one its name.
  const words = lists.streets.flatMap((street) => street.match(TOKEN) ?? []).filter((word) => !isNumber(word));
  return [...tally(words)].flatMap(([word, rows]) => (rows < COMMON_ROWS && word.length > 2 ? [word] : []));
}

/** `rows` texts; null where `mayStand` refused every one that was drawn. */
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

/** For each length, the entries that come nearest to it; all of them for none. */
function entriesByLength(entries: readonly string[], count: number): (readonly string[])[] {
  return Array.from({ length: count }, (_, length) => {
    if (length === 0) return entries;
    const away = (entry: string): number => Math.abs(entry.length - length);
    const nearest = Math.min(...entries.map(away));
    return entries.filter((entry) => away(entry) === nearest);
  });
}

/** Digits in their places; none begins with zero unless it is one. */
const withDigits = (shape: string, random: RandomStream): string =>
  shape.replace(/#/g, (_, at: number) => String(at === 0 ? 1 + random.integer(9) : random.integer(10)));
