/**
 * Continues identifiers that count, and draws others position by position. They repeat as the real ones do; none is
 * real.
 */

import { z } from 'zod';
import { shuffle } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { checkNamed, findCheck } from '../../../tables/keys/checkDigits.ts';
import {
  inferPattern,
  inferSequence,
  MAX_IDS,
  patternSchema,
  sequenceSchema,
} from '../../../tables/keys/inferPattern.ts';
import { quoted } from '../../../words/wording.ts';
import { hashText } from '../../disclosure/guardTexts.ts';
import {
  type FitTask,
  type FittedModel,
  type JsonValue,
  type Model,
  type ModelTable,
  type SampleTask,
  type TextColumn,
  textColumn,
} from '../model.ts';
import { hashesSchema } from '../shared/savedArrays.ts';
import { findOwnWords, marked, type OwnWords, ownWordsSchema, ownWordsWriter } from './ownWords.ts';
import { type Fill, type IdentifierRules, writeIdentifiers } from './writeIdentifiers.ts';

const repeatsSchema = z.object({
  /** Rows per identifier: one number if all are equal, else a sample. */
  sizes: z.array(z.int().positive()).min(1),
  areAdjacent: z.boolean(),
});
type Repeats = z.infer<typeof repeatsSchema>;

const MAX_SIZES = 1000;
/** Minimum share of repeats that follow directly. */
const ADJACENT_SHARE = 0.9;

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

/** Draws each row's identifier, 0 … count-1. */
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

const columnSchema: z.ZodType<FittedColumn, JsonValue> = z.object({
  name: z.string(),
  /** Null without identifiers. */
  model: z
    .object({
      sequence: sequenceSchema.nullable(),
      pattern: patternSchema,
      repeats: repeatsSchema,
      /** Check digit scheme. */
      check: z.string().nullable(),
      /** Words of the row that stand in its identifier; models of 0.2 have none. */
      ownWords: ownWordsSchema.nullable().default(null),
      protectedHashes: hashesSchema,
    })
    .nullable(),
  identifiers: z.int(),
});
interface FittedColumn {
  name: string;
  model:
    | (Omit<IdentifierRules, 'check'> & { repeats: Repeats; check: string | null; ownWords: OwnWords | null })
    | null;
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
  const { values } = textColumn(task.table, name);
  const cells = values.filter((cell): cell is string => cell !== null && cell !== '');
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
  const ownWords = findOwnWords(values, task.table, task.columns) ?? null;
  const forms = ownWords ? distinctForms(values, ownWords, task.table) : ids;
  const model = {
    sequence: repeats.areAdjacent ? (inferSequence(ids) ?? null) : null,
    pattern: inferPattern(forms),
    repeats,
    ownWords,
    check: findCheck(ids)?.name ?? null,
    protectedHashes: new Set(ids.map((id) => hashText(id.trim()))),
  };
  return { name, model, identifiers: ids.length };
}

/** Marks the words of each identifier's first row. */
function distinctForms(values: readonly (string | null)[], ownWords: OwnWords, table: ModelTable): string[] {
  const forms = new Map<string, string>();
  const stride = Math.max(1, values.length / MAX_IDS);
  for (let at = 0; at < values.length; at += stride) {
    const [row, id] = [Math.floor(at), values[Math.floor(at)]];
    if (id && !forms.has(id)) forms.set(id, marked(id, row, ownWords, table));
  }
  return [...forms.values()];
}

function fitted(columns: readonly FittedColumn[]): FittedModel {
  return {
    async sample(task) {
      const out: TextColumn[] = [];
      for (const column of columns) out.push(await sampleColumn(column, task));
      return out;
    },
    save: () => savedSchema.encode({ columns: [...columns] }),
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
  const named = model.ownWords
    ? `, with words of ${model.ownWords.columns.map(quoted).join(' and ')} as the real ones have`
    : '';
  const checked = model.check === null || model.sequence ? '' : `, with valid check digits (${model.check})`;
  return [`Column ${quoted(name)} has identifiers: ${how}${named}${checked}, ${often}, none of them real.`];
}

async function sampleColumn({ name, model }: FittedColumn, task: SampleTask): Promise<TextColumn> {
  const present = task.present?.get(name);
  const rows = present?.length ?? task.rows;
  const random: RandomStream = task.random.child(name);
  if (!model) {
    await task.onProgress({ stage: 'generate', fact: 'identifiers_drawn', column: name, done: 0, total: 0 });
    return { kind: 'text', name, values: new Array<string | null>(task.rows).fill(null) };
  }
  const entities = spreadOver(model.repeats, rows, random.child('repeats'));
  const check = model.check === null ? undefined : checkNamed(model.check);
  const onProgress = (done: number) =>
    task.onProgress({ stage: 'generate', fact: 'identifiers_drawn', column: name, done, total: entities.count });
  const ids = await writeIdentifiers(
    { ...model, check },
    entities.count,
    random.child('identifiers'),
    onProgress,
    fillOf(model.ownWords, entities, task, present, random),
  );
  const values = Array.from(entities.codes, (code) => ids[code]!);
  return { kind: 'text', name, values: present ? inRows(values, present, task.rows) : values };
}

function fillOf(
  ownWords: OwnWords | null,
  { codes, count }: { codes: Int32Array; count: number },
  { made }: SampleTask,
  present: Int32Array | undefined,
  random: RandomStream,
): Fill | undefined {
  if (!ownWords) return undefined;
  const rowOf = new Int32Array(count).fill(-1);
  codes.forEach((code, at) => {
    if (rowOf[code] === -1) rowOf[code] = present ? present[at]! : at;
  });
  const write = ownWordsWriter(ownWords, made, random.child('words of others'));
  return (text, identifier) => write(text, rowOf[identifier]!);
}

function inRows(values: readonly string[], rows: Int32Array, count: number): (string | null)[] {
  const out = new Array<string | null>(count).fill(null);
  rows.forEach((row, at) => {
    out[row] = values[at]!;
  });
  return out;
}
