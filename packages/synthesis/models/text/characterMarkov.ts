/**
 * Character Markov chain with Witten-Bell backoff; held-out texts choose its order. It ignores other columns, and
 * contexts of few owners for privacy.
 */

import { z } from 'zod';
import { type Empirical, fitEmpirical, quantile } from '../../../numerics/distributions/empirical.ts';
import { shuffledRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { isMissing } from '../../../tables/missing.ts';
import { counted, quoted, withCommas } from '../../../words/wording.ts';
import { hashText, type Owners, ownedTexts, protectedTexts } from '../../disclosure/guardTexts.ts';
import {
  chunks,
  type FitTask,
  type FittedModel,
  type JsonValue,
  type Model,
  type SampleTask,
  type TextColumn,
  textColumn,
} from '../model.ts';
import { empiricalSchema, hashesSchema } from '../shared/savedArrays.ts';
import {
  bitsByOrder,
  buildAlphabet,
  buildTrie,
  type CharacterTrie,
  type ChildOf,
  childFinder,
  contextOf,
  drawAfter,
  END,
  endsAfter,
  type Symbols,
} from './characterTrie.ts';
import { trieSchema } from './savedTrie.ts';
import { rareWords, wordsOf } from './spelling.ts';

/** More texts are sampled. */
const MAX_CHARACTERS = 1_000_000;
const MAX_ORDER = 7;
/** With fewer texts, uses SMALL_ORDER; else every tenth is held out. */
const MIN_TEXTS = 20;
const HELD_OUT = 10;
const HELD_OUT_TEXTS = 500;
const SMALL_ORDER = 3;
const CHUNK_TEXTS = 5_000;

const columnSchema: z.ZodType<FittedColumn, JsonValue> = z.object({
  name: z.string(),
  /** Null without text. */
  model: z
    .object({
      trie: trieSchema,
      characters: z.array(z.string()),
      lengths: empiricalSchema,
      protectedHashes: hashesSchema,
      rareWords: hashesSchema.default(() => new Set<number>()),
    })
    .nullable(),
  diagnostics: z.record(z.string(), z.number()),
});
interface FittedColumn {
  name: string;
  model: TextModel | null;
  diagnostics: Record<string, number>;
}
const savedSchema = z.object({ columns: z.array(columnSchema) });

export const characterMarkov: Model = {
  name: 'character Markov chain with Witten-Bell backoff',
  async fit(task) {
    const columns: FittedColumn[] = [];
    for (const name of task.columns) columns.push(await fitColumn(task, name));
    return fitted(columns);
  },
  restore: (saved) => fitted(savedSchema.parse(saved).columns),
};

interface Corpus {
  symbols: readonly Symbols[];
  owners: Int32Array;
  kinds: number;
}

async function fitColumn(task: FitTask, name: string): Promise<FittedColumn> {
  const { texts, owners } = ownedTexts(textColumn(task.table, name).values, task.owners);
  const { characters, corpus } = corpusOf(texts, owners, task.random.child(name));
  const { symbols } = corpus;
  if (symbols.length === 0) return { name, model: null, diagnostics: { texts: texts.length } };
  const choice = chooseOrder(corpus);
  await task.onProgress({
    stage: 'fit',
    fact: 'text_order_chosen',
    column: name,
    order: choice.order,
    used: symbols.length,
    texts: texts.length,
  });
  const model = {
    trie: trieOfMany(corpus, choice.order),
    characters,
    lengths: lengthsOf(symbols),
    protectedHashes: protectedTexts(texts, owners),
    rareWords: new Set(await rareWords(texts, owners)),
  };
  const bits = choice.bits === undefined ? {} : { held_out_bits_per_character: choice.bits };
  return { name, model, diagnostics: { texts: texts.length, used: symbols.length, order: choice.order, ...bits } };
}

function corpusOf(
  texts: readonly string[],
  owners: Owners | undefined,
  random: RandomStream,
): { characters: readonly string[]; corpus: Corpus } {
  const used = someRows(texts, random);
  const { characters, encode } = buildAlphabet(used.map((row) => shortened(texts[row]!)));
  const encoded = used.map((row) => ({ row, symbols: encode(shortened(texts[row]!)) }));
  const own = encoded.filter(({ symbols }) => symbols.length > 0);
  const corpus = {
    symbols: own.map(({ symbols }) => symbols),
    owners: Int32Array.from(own, ({ row }) => owners?.[row] ?? row),
    kinds: characters.length + 1,
  };
  return { characters, corpus };
}

const shortened = (text: string): string => text.slice(0, MAX_CHARACTERS);

function someRows(texts: readonly string[], random: RandomStream): number[] {
  const used: number[] = [];
  let room = MAX_CHARACTERS;
  for (const row of shuffledRows(texts.length, random)) {
    room -= texts[row]!.length;
    if (room < 0 && used.length > 0) break;
    used.push(row);
  }
  return used.sort((a, b) => a - b);
}

/** Uses single characters if owners have nothing in common. */
function trieOfMany({ symbols, owners, kinds }: Corpus, order: number): CharacterTrie {
  const trie = buildTrie(symbols, kinds, order, { owners });
  return trie.symbol.length > 0 ? trie : buildTrie(symbols, kinds, 0);
}

/** Minimises held-out bits; ties take the shorter order. */
function chooseOrder({ symbols, owners, kinds }: Corpus): { order: number; bits?: number } {
  if (symbols.length < MIN_TEXTS) return { order: SMALL_ORDER };
  const isHeld = (_: unknown, i: number): boolean => i % HELD_OUT === 0;
  const others = { symbols: symbols.filter((_, i) => !isHeld(_, i)), owners: owners.filter((_, i) => !isHeld(_, i)) };
  const trie = trieOfMany({ ...others, kinds }, MAX_ORDER);
  const bits = bitsByOrder(trie, childFinder(trie), symbols.filter(isHeld).slice(0, HELD_OUT_TEXTS));
  const least = Math.min(...bits);
  return { order: bits.indexOf(least), bits: least };
}

const lengthsOf = (texts: readonly Symbols[]): Empirical =>
  fitEmpirical(Float64Array.from(texts, (text) => text.length))!;

function fitted(columns: readonly FittedColumn[]): FittedModel {
  return {
    async sample(task) {
      const out: TextColumn[] = [];
      for (const column of columns) out.push(await sampleColumn(column, task));
      return out;
    },
    save: () => savedSchema.encode({ columns: [...columns] }),
    diagnostics: () => ({
      columns: columns.map(({ name, diagnostics }) => ({ name, ...diagnostics })),
      notes: columns.flatMap(notesOf),
    }),
  };
}

function notesOf({ name, model, diagnostics: { texts = 0, used = 0 } }: FittedColumn): string[] {
  const notes: string[] = [];
  if (model && used < texts) {
    const most = withCommas(MAX_CHARACTERS);
    notes.push(
      `Text ${quoted(name)}: trained on ${withCommas(used)} of ${counted(texts, 'text')}, chosen at random (at most ${most} characters).`,
    );
  }
  if (model && model.lengths.values.at(-1)! > LONGEST_TEXT) {
    notes.push(`Text ${quoted(name)}: no generated text is longer than ${withCommas(LONGEST_TEXT)} characters.`);
  }
  return notes;
}

async function sampleColumn({ name, model }: FittedColumn, task: SampleTask): Promise<TextColumn> {
  const values = new Array<string | null>(task.rows).fill(null);
  if (!model) return { kind: 'text', name, values };
  const write = textWriter(model, task.random.child(name));
  for (const { from, to } of chunks(task.rows, CHUNK_TEXTS)) {
    for (let row = from; row < to; row++) values[row] = write();
    await task.onProgress({ stage: 'generate', fact: 'texts_drawn', column: name, done: to, total: task.rows });
  }
  return { kind: 'text', name, values };
}

interface TextModel {
  trie: CharacterTrie;
  characters: readonly string[];
  /** In code points. */
  lengths: Empirical;
  protectedHashes: ReadonlySet<number>;
  /** Hashes of words that few owners have. */
  rareWords: ReadonlySet<number>;
}

const FULL_ATTEMPTS = 6;
const SHORT_ORDERS = [3, 3, 2, 2, 1, 1, 0, 0] as const;
/** The last attempts use no context, and lengthen. */
const LONGER_ATTEMPTS = 12;
/** Code points. */
const LONGEST_TEXT = 20_000;
/** Refused ENDs before backing off. */
const REFUSED_ENDS = 4;

/** How far to overrun the length to find a real ending. */
const OVERRUN = 0.2;
const OVERRUN_EXTRA = 8;

/** Returns null if every attempt was protected or had a rare word. */
function textWriter(model: TextModel, random: RandomStream): () => string | null {
  const { trie, protectedHashes, rareWords } = model;
  const childOf = childFinder(trie);
  const orders = [...new Array<number>(FULL_ATTEMPTS).fill(trie.order), ...SHORT_ORDERS.filter((k) => k < trie.order)];
  const write = (order: number, length: number): string => {
    const symbols = writeSymbols(trie, childOf, order, length, random);
    return symbols.map((symbol) => model.characters[symbol - 1]!).join('');
  };
  const isRare = (word: string): boolean => rareWords.has(hashText(word));
  const mayPass = (text: string): boolean =>
    !isMissing(text) && !protectedHashes.has(hashText(text)) && !wordsOf(text).some(isRare);
  return () => {
    const drawn = Math.round(quantile(model.lengths, random.uniform()));
    const length = Math.min(LONGEST_TEXT, Math.max(1, drawn));
    for (const order of orders) {
      const text = write(order, length);
      if (mayPass(text)) return text;
    }
    for (let extra = 1; extra <= LONGER_ATTEMPTS; extra++) {
      const text = write(0, length + extra);
      if (mayPass(text)) return text;
    }
    return null;
  };
}

/** Cuts at the real ending nearest to `length`, if there is one. */
function writeSymbols(
  trie: CharacterTrie,
  childOf: ChildOf,
  order: number,
  length: number,
  random: RandomStream,
): number[] {
  const history = [trie.kinds];
  let latest = Math.ceil(length * (1 + OVERRUN)) + OVERRUN_EXTRA;
  let best = 0;
  for (let done = 0; done <= latest; done++) {
    const context = contextOf(childOf, history, history.length, order);
    if (done > 0 && endsAfter(trie, context) && Math.abs(done - length) < Math.abs(best - length)) {
      best = done;
      if (done >= length) break;
      latest = Math.min(latest, 2 * length - done);
    }
    const symbol = drawInside(trie, context, random);
    if (symbol === END) break;
    history.push(symbol);
  }
  const isNear = Math.abs(best - length) <= length * OVERRUN + OVERRUN_EXTRA;
  return history.slice(1, 1 + (best > 0 && isNear ? best : length));
}

/** END if the data leave no choice. */
function drawInside(trie: CharacterTrie, context: number, random: RandomStream): number {
  for (let node = context; ; node = trie.parent[node]!) {
    for (let tries = 0; tries < REFUSED_ENDS; tries++) {
      const symbol = drawAfter(trie, node, random);
      if (symbol !== END) return symbol;
    }
    if (node === 0) return END;
  }
}
