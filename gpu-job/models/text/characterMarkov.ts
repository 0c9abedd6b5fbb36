/**
 * Text by a character Markov chain with Witten-Bell backoff: each character is drawn given those before it, as many as
 * held-out texts ask for. It knows spelling and short phrases, and nothing of the row that it stands in.
 */
import { z } from 'zod';
import { counted, quoted, withCommas } from '../../../domain/table/wording.ts';
import { type Empirical, fitEmpirical } from '../../../numerics/distributions/empirical.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import type { FitTask, FittedModel, JsonValue, Model, SampleTask, TextColumn } from '../model.ts';
import { chunks } from '../shared/chunks.ts';
import { empiricalSchema, float64Schema, int32Schema, saveArray, saveEmpirical } from '../shared/savedArrays.ts';
import { textColumn } from '../shared/textColumn.ts';
import { learnAlphabet } from './alphabet.ts';
import { buildTrie, childFinder, type Symbols } from './characterTrie.ts';
import { LONGEST_TEXT, type TextModel, textWriter } from './generateText.ts';
import { protectedTexts } from './verbatim.ts';
import { bitsByOrder } from './wittenBell.ts';

/** Characters that a model is fitted to, at most: of more text, a random part is taken. */
export const MAX_CHARACTERS = 1_000_000;
const MAX_ORDER = 7;
/** Every tenth text is held out to choose the order, from this many texts up; below, the order is SMALL_ORDER. */
const LEAST_TEXTS = 20;
const HELD_OUT = 10;
const HELD_OUT_TEXTS = 500;
const SMALL_ORDER = 3;
/** Texts written between two reports. */
const CHUNK_TEXTS = 5_000;

const columnSchema = z.object({
  name: z.string(),
  /** Null where there was no text to learn from. */
  model: z
    .object({
      trie: z.object({
        kinds: z.int(),
        order: z.int(),
        parent: int32Schema,
        oldest: int32Schema,
        from: int32Schema,
        symbol: int32Schema,
        cumulative: int32Schema,
      }),
      characters: z.array(z.string()),
      lengths: empiricalSchema,
      protectedHashes: float64Schema.transform((hashes): ReadonlySet<number> => new Set(hashes)),
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

async function fitColumn(task: FitTask, name: string): Promise<FittedColumn> {
  const texts = textColumn(task.table, name).values.filter((cell): cell is string => cell !== null && cell !== '');
  const used = someTexts(texts, task.random.child(name));
  const { characters, encode } = learnAlphabet(used);
  const symbols = used.map(encode).filter((text) => text.length > 0);
  if (symbols.length === 0) return { name, model: null, diagnostics: { texts: texts.length } };
  const kinds = characters.length + 1;
  const choice = chooseOrder(symbols, kinds);
  await task.report(
    `Text ${quoted(name)}: order ${choice.order} from ${symbols.length} of ${counted(texts.length, 'text')}`,
  );
  const trie = buildTrie(symbols, kinds, choice.order);
  const lengths = lengthsOf(symbols);
  const model = { trie, characters, lengths, protectedHashes: protectedTexts(texts) };
  const bits = choice.bits === undefined ? {} : { held_out_bits_per_character: choice.bits };
  return { name, model, diagnostics: { texts: texts.length, used: symbols.length, order: choice.order, ...bits } };
}

/** The texts in random order, up to the bound on characters. */
function someTexts(texts: readonly string[], random: RandomStream): string[] {
  const order = Int32Array.from(texts, (_, i) => i);
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.integer(i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  const used: string[] = [];
  let room = MAX_CHARACTERS;
  for (const i of order) {
    const text = texts[i]!;
    room -= text.length;
    if (room < 0 && used.length > 0) break;
    used.push(text.slice(0, MAX_CHARACTERS));
  }
  return used;
}

/** The order that costs held-out texts the fewest bits; the shorter one of equals. */
function chooseOrder(texts: readonly Symbols[], kinds: number): { order: number; bits?: number } {
  if (texts.length < LEAST_TEXTS) return { order: SMALL_ORDER };
  const held = texts.filter((_, i) => i % HELD_OUT === 0).slice(0, HELD_OUT_TEXTS);
  const trie = buildTrie(
    texts.filter((_, i) => i % HELD_OUT !== 0),
    kinds,
    MAX_ORDER,
  );
  const bits = bitsByOrder(trie, childFinder(trie), held);
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
    save: () => ({ columns: columns.map(saveColumn) }),
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
      `Text ${quoted(name)}: learnt from ${withCommas(used)} of ${counted(texts, 'text')}, drawn at random (at most ${most} characters).`,
    );
  }
  if (model && model.lengths.values.at(-1)! > LONGEST_TEXT) {
    notes.push(`Text ${quoted(name)}: no text is made longer than ${withCommas(LONGEST_TEXT)} characters.`);
  }
  return notes;
}

async function sampleColumn({ name, model }: FittedColumn, task: SampleTask): Promise<TextColumn> {
  const values = new Array<string | null>(task.rows).fill(null);
  if (!model) return { kind: 'text', name, values };
  const write = textWriter(model, task.random.child(name));
  for (const { from, to } of chunks(task.rows, CHUNK_TEXTS)) {
    for (let row = from; row < to; row++) values[row] = write();
    await task.report(`Text ${quoted(name)}: ${to} of ${counted(task.rows, 'row')}`);
  }
  return { kind: 'text', name, values };
}

function saveColumn({ name, model, diagnostics }: FittedColumn): JsonValue {
  if (!model) return { name, model, diagnostics };
  const { trie, characters, lengths, protectedHashes } = model;
  return {
    name,
    model: {
      trie: {
        kinds: trie.kinds,
        order: trie.order,
        parent: saveArray(trie.parent),
        oldest: saveArray(trie.oldest),
        from: saveArray(trie.from),
        symbol: saveArray(trie.symbol),
        cumulative: saveArray(trie.cumulative),
      },
      characters: [...characters],
      lengths: saveEmpirical(lengths),
      protectedHashes: saveArray(Float64Array.from(protectedHashes)),
    },
    diagnostics,
  };
}
