/**
 * Identifiers by their pattern: counted on where they count, else drawn place by place. They are unique where they were,
 * repeat as they did where they were not, and no real one is released.
 */

import { z } from 'zod';
import { shuffle } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { firstAbove } from '../../../numerics/search.ts';
import { isMissing } from '../../../tables/missing.ts';
import { quoted } from '../../../words/wording.ts';
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
import { float64Schema, saveArray } from '../shared/savedArrays.ts';
import { hashText } from '../text/guardTexts.ts';
import {
  classOf,
  inferPattern,
  inferSequence,
  type Pattern,
  type Position,
  patternSchema,
  type Sequence,
  type Shape,
  sequenceSchema,
  widened,
} from './inferPattern.ts';

// How often one identifier stands in a column, and whether its rows stand together.

const repeatsSchema = z.object({
  /** Rows of one identifier: one number where all have as many, else a sample of them. */
  sizes: z.array(z.int().positive()).min(1),
  /** The rows of an identifier follow one another. */
  areAdjacent: z.boolean(),
});
type Repeats = z.infer<typeof repeatsSchema>;

/** Sizes kept, at most: spread evenly over those that there are, in ascending order. */
const MAX_SIZES = 1000;
/** Share of the repeats that follow their like, from which on rows stand together. */
const ADJACENT_SHARE = 0.9;

/** Repeats of a column's cells, in the order of its rows. */
function findRepeats(cells: readonly string[]): Repeats {
  const counts = new Map<string, number>();
  let following = 0;
  cells.forEach((cell, row) => {
    counts.set(cell, (counts.get(cell) ?? 0) + 1);
    if (row > 0 && cells[row - 1] === cell) following++;
  });
  const repeats = cells.length - counts.size;
  const sizes = [...counts.values()].sort((a, b) => a - b);
  const stride = Math.max(1, sizes.length / MAX_SIZES);
  const kept: number[] = [];
  for (let at = 0; at < sizes.length; at += stride) kept.push(sizes[Math.floor(at)]!);
  return {
    sizes: sizes[0] === sizes.at(-1) ? [sizes[0]!] : kept,
    areAdjacent: repeats === 0 || following >= ADJACENT_SHARE * repeats,
  };
}

/** Which identifier each row has: 0 … count-1. */
function spreadOver(
  { sizes, areAdjacent }: Repeats,
  rows: number,
  random: RandomStream,
): { codes: Int32Array; count: number } {
  const codes = new Int32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; count++) {
    const size = sizes.length === 1 ? sizes[0]! : sizes[random.integer(sizes.length)]!;
    for (let left = size; left > 0 && row < rows; left--) codes[row++] = count;
  }
  if (!areAdjacent) shuffle(codes, random);
  return { codes, count };
}

const columnSchema = z.object({
  name: z.string(),
  /** Null where there was no identifier to infer it from. */
  model: z
    .object({
      sequence: sequenceSchema.nullable(),
      pattern: patternSchema,
      repeats: repeatsSchema,
      protectedHashes: float64Schema.transform((hashes): ReadonlySet<number> => new Set(hashes)),
    })
    .nullable(),
  identifiers: z.int(),
});
interface FittedColumn {
  name: string;
  model: (IdentifierRules & { repeats: Repeats }) | null;
  identifiers: number;
}
const savedSchema = z.object({ columns: z.array(columnSchema) });

export const identifierPattern: Model = {
  name: 'pattern of identifiers',
  async fit(task) {
    const columns: FittedColumn[] = [];
    for (const name of task.columns) columns.push(await fitColumn(task, name));
    return fitted(columns);
  },
  restore: (saved) => fitted(savedSchema.parse(saved).columns),
};

async function fitColumn(task: FitTask, name: string): Promise<FittedColumn> {
  const cells = textColumn(task.table, name).values.filter((cell): cell is string => cell !== null && cell !== '');
  const ids = [...new Set(cells)];
  await task.onProgress({
    stage: 'fit',
    fact: 'identifiers_read',
    column: name,
    distinct: ids.length,
    cells: cells.length,
  });
  if (ids.length === 0) return { name, model: null, identifiers: 0 };
  const repeats = findRepeats(cells);
  const model = {
    sequence: repeats.areAdjacent ? (inferSequence(ids) ?? null) : null,
    pattern: inferPattern(ids),
    repeats,
    protectedHashes: new Set(ids.map((id) => hashText(id.trim()))),
  };
  return { name, model, identifiers: ids.length };
}

function fitted(columns: readonly FittedColumn[]): FittedModel {
  return {
    async sample(task) {
      const out: TextColumn[] = [];
      for (const column of columns) out.push(await sampleColumn(column, task));
      return out;
    },
    save: () => ({ columns: columns.map(saveColumn) }),
    diagnostics: () => ({
      columns: columns.map(({ name, model, identifiers }) => ({
        name,
        identifiers,
        shapes: model?.pattern.shapes.length ?? 0,
        counts_on: Boolean(model?.sequence),
      })),
      notes: columns.flatMap(noteOf),
    }),
  };
}

function noteOf({ name, model }: FittedColumn): string[] {
  if (!model) return [];
  const how = model.sequence
    ? 'continued after the last real one'
    : 'new ones were generated with the pattern of the real ones';
  const often =
    model.repeats.sizes.length === 1 && model.repeats.sizes[0] === 1
      ? 'each used once'
      : 'repeated as often as the real ones';
  return [`Column ${quoted(name)} has identifiers: ${how}, ${often}, none of them real.`];
}

async function sampleColumn({ name, model }: FittedColumn, task: SampleTask): Promise<TextColumn> {
  const { rows } = task;
  const random: RandomStream = task.random.child(name);
  if (!model) {
    await task.onProgress({ stage: 'generate', fact: 'identifiers_drawn', column: name, done: 0, total: 0 });
    return { kind: 'text', name, values: new Array<string | null>(rows).fill(null) };
  }
  const entities = spreadOver(model.repeats, rows, random.child('repeats'));
  const ids = await writeIdentifiers(model, entities.count, random.child('identifiers'), (written) =>
    task.onProgress({
      stage: 'generate',
      fact: 'identifiers_drawn',
      column: name,
      done: written,
      total: entities.count,
    }),
  );
  return { kind: 'text', name, values: Array.from(entities.codes, (code) => ids[code]!) };
}

function saveColumn({ name, model, identifiers }: FittedColumn): JsonValue {
  if (!model) return { name, model, identifiers };
  const { sequence, pattern, repeats, protectedHashes } = model;
  return {
    name,
    model: { sequence, pattern, repeats, protectedHashes: saveArray(Float64Array.from(protectedHashes)) },
    identifiers,
  };
}

// Writes identifiers in a column's form: no two alike, none of the real ones.

/** Draws before a place that the real identifiers leave alone may change too, and before digits are added. */
const ATTEMPTS_IN_FORM = 20;
const ATTEMPTS_WIDENED = 20;
/** Identifiers written between two reports. */
const CHUNK = 25_000;

interface IdentifierRules {
  /** Null where the identifiers do not count. */
  sequence: Sequence | null;
  pattern: Pattern;
  /** Hashes of the real identifiers. */
  protectedHashes: ReadonlySet<number>;
}

/** As many identifiers as asked for: distinct, and none of the protected ones. `onProgress` is called for each chunk. */
async function writeIdentifiers(
  rules: IdentifierRules,
  count: number,
  random: RandomStream,
  onProgress: (written: number) => Promise<void>,
): Promise<string[]> {
  const write = rules.sequence ? sequenceWriter(rules.sequence, random) : patternWriter(rules, random);
  const written: string[] = [];
  for (const { from, to } of chunks(count, CHUNK)) {
    for (let i = from; i < to; i++) written.push(write());
    await onProgress(to);
  }
  return rules.sequence?.isDescending ? written.reverse() : written;
}

/** Goes on after the largest real number, so that none is a real one. */
function sequenceWriter(sequence: Sequence, random: RandomStream): () => string {
  const { prefix, suffix, width, steps } = sequence;
  const sizes = steps.map(BigInt);
  let number = BigInt(sequence.largest);
  return () => {
    number += sizes.length === 1 ? sizes[0]! : sizes[random.integer(sizes.length)]!;
    return `${prefix}${String(number).padStart(width, '0')}${suffix}`;
  };
}

function patternWriter({ pattern, protectedHashes }: IdentifierRules, random: RandomStream): () => string {
  const drawShape = weighted(pattern.shapes.map((shape) => shape.count));
  const inForm = pattern.shapes.map(drawer);
  const wide = pattern.shapes.map((shape) => drawer({ ...shape, positions: shape.positions.map(widenedPosition) }));
  const written = new Set<string>();
  const mayPass = (text: string): boolean =>
    !written.has(text) && !isMissing(text) && !protectedHashes.has(hashText(text.trim()));
  const longer = lengthener();
  return () => {
    const shape = drawShape(random);
    const drawn = firstOf(ATTEMPTS_IN_FORM, () => inForm[shape]!(random), mayPass);
    let text = drawn ?? firstOf(ATTEMPTS_WIDENED, () => wide[shape]!(random), mayPass);
    while (text === undefined) {
      const candidate = longer(wide[shape]!(random));
      if (mayPass(candidate)) text = candidate;
    }
    written.add(text);
    return text;
  };
}

function firstOf(attempts: number, draw: () => string, mayPass: (text: string) => boolean): string | undefined {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const text = draw();
    if (mayPass(text)) return text;
  }
  return undefined;
}

function drawer({ positions }: Shape): (random: RandomStream) => string {
  const draws = positions.map(({ characters, counts }) => {
    const [only] = characters;
    if (characters.length === 1) return () => only!;
    const place = weighted(counts);
    return (random: RandomStream) => characters[place(random)]!;
  });
  return (random) => draws.map((draw) => draw(random)).join('');
}

/** Letters and digits that change may be any of their class; of what does not change, digits alone. */
function widenedPosition({ characters, counts }: Position, at: number): Position {
  const isDigit = characters.some((character) => classOf(character)?.includes('0'));
  if (characters.length === 1 && !isDigit) return { characters, counts };
  const wide = widened(characters, characters, at === 0);
  return { characters: wide, counts: wide.map(() => 1) };
}

/** Puts a number that goes up in place of the last run of digits, one digit longer than it was; at the end where there is none. */
function lengthener(): (text: string) => string {
  const next = new Map<number, bigint>();
  return (text) => {
    const last = /\d+(?=\D*$)/.exec(text);
    const digits = last?.[0].length ?? 0;
    const number = next.get(digits) ?? 10n ** BigInt(digits);
    next.set(digits, number + 1n);
    const at = last?.index ?? text.length;
    return `${text.slice(0, at)}${number}${text.slice(at + digits)}`;
  };
}

/** Draws an index with the given weights. */
function weighted(weights: readonly number[]): (random: RandomStream) => number {
  const upTo = new Float64Array(weights.length);
  let sum = 0;
  weights.forEach((weight, i) => {
    sum += weight;
    upTo[i] = sum;
  });
  return (random) => {
    return firstAbove(upTo, random.integer(sum));
  };
}
