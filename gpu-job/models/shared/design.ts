/**
 * A design matrix with sparse rows: intercept, standardised numbers, indicators of missing numbers, and effects of levels
 * against the most frequent one; rare levels share one effect.
 */
import { z } from 'zod';
import type { JsonValue, ModelColumn, ModelTable } from '../model.ts';

/** Columns of a design matrix, at most. */
export const WIDEST_DESIGN = 400;
const MAX_LEVELS = 60;
/** Rows that a level needs for an effect of its own. */
const LEAST_LEVEL_ROWS = 8;

const numberPartSchema = z.object({
  kind: z.literal('number'),
  name: z.string(),
  mean: z.number(),
  sd: z.number(),
  at: z.int(),
  /** Place of the indicator of a missing cell; null where no cell was missing. */
  missingAt: z.int().nullable(),
});
const levelPartSchema = z.object({
  kind: z.literal('levels'),
  name: z.string(),
  /** Level (null: missing) and its place; levels that are not here have the place `otherAt`. Place -1 is the reference. */
  places: z.array(z.tuple([z.string().nullable(), z.int()])),
  otherAt: z.int(),
});
export const designSchema = z.object({
  width: z.int(),
  /** Columns that there was no room for. */
  leftOut: z.int(),
  parts: z.array(z.discriminatedUnion('kind', [numberPartSchema, levelPartSchema])),
});
export type Design = z.infer<typeof designSchema>;
export const saveDesign = ({ width, leftOut, parts }: Design): JsonValue => ({
  width,
  leftOut,
  parts: parts.map((part) => ({ ...part })),
});

type NumberPart = z.infer<typeof numberPartSchema>;
type LevelPart = z.infer<typeof levelPartSchema>;

/** One sparse row: the first `count` entries of `at` (columns, 0 is the intercept) and `values`. */
export interface DesignRow {
  at: Int32Array;
  values: Float64Array;
  count: number;
}

/** Learns the design of the named columns from the given rows. Text is left out, and what is past the widest design. */
export function fitDesign(
  table: ModelTable,
  names: readonly string[],
  rows: Int32Array,
  widest = WIDEST_DESIGN,
): Design {
  const parts: Design['parts'] = [];
  let width = 1;
  let leftOut = 0;
  for (const name of names) {
    const column = table.columns.get(name);
    if (!column || column.kind === 'text' || rows.length === 0) continue;
    const room = widest - width;
    const part = column.kind === 'numeric' ? numberPart(column, rows, width) : levelPart(column, rows, width, room);
    const used = part ? widthOf(part) : 0;
    if (used > room || (!part && room === 0)) leftOut++;
    if (!part || used > room) continue;
    parts.push(part);
    width += used;
  }
  return { width, leftOut, parts };
}

function widthOf(part: NumberPart | LevelPart): number {
  if (part.kind === 'number') return part.missingAt === null ? 1 : 2;
  return new Set([...part.places.map(([, place]) => place), part.otherAt].filter((place) => place >= 0)).size;
}

type Numeric = Extract<ModelColumn, { kind: 'numeric' }>;
type Category = Extract<ModelColumn, { kind: 'category' }>;

function numberPart(column: Numeric, rows: Int32Array, at: number): NumberPart | undefined {
  let count = 0;
  let sum = 0;
  for (const row of rows) {
    const value = column.values[row]!;
    if (Number.isNaN(value)) continue;
    count++;
    sum += value;
  }
  const mean = count > 0 ? sum / count : 0;
  let squares = 0;
  for (const row of rows) {
    const value = column.values[row]!;
    if (!Number.isNaN(value)) squares += (value - mean) ** 2;
  }
  const sd = Math.sqrt(squares / Math.max(1, count - 1));
  if (!(sd > 0 && Number.isFinite(sd))) return undefined;
  return { kind: 'number', name: column.name, mean, sd, at, missingAt: count < rows.length ? at + 1 : null };
}

function levelPart(column: Category, rows: Int32Array, at: number, room: number): LevelPart | undefined {
  const counts = new Map<number, number>();
  for (const row of rows) counts.set(column.codes[row]!, (counts.get(column.codes[row]!) ?? 0) + 1);
  const byCount = [...counts].sort(([a, m], [b, n]) => n - m || a - b);
  if (byCount.length < 2) return undefined;
  const kept = byCount.filter(([, n], i) => i === 0 || n >= LEAST_LEVEL_ROWS).slice(0, Math.min(MAX_LEVELS, room));
  const places = kept.map(([code, _], i): [string | null, number] => [
    levelOf(column, code),
    i === 0 ? -1 : at + i - 1,
  ]);
  const hasOthers = kept.length < byCount.length;
  return { kind: 'levels', name: column.name, places, otherAt: hasOthers ? at + kept.length - 1 : -1 };
}

const levelOf = (column: Category, code: number): string | null => (code < 0 ? null : (column.levels[code] ?? null));

/** A function that fills one row of the design from a table that has the design's columns. Throws RangeError if not. */
export function rowsOf(design: Design, table: ModelTable): (row: number) => DesignRow {
  const longest = 1 + design.parts.length;
  const out: DesignRow = { at: new Int32Array(longest), values: new Float64Array(longest), count: 0 };
  const fillers = design.parts.map((part) => fillerOf(part, table, out));
  return (row) => {
    out.at[0] = 0;
    out.values[0] = 1;
    out.count = 1;
    for (const fill of fillers) fill(row);
    return out;
  };
}

function put(out: DesignRow, at: number, value: number): void {
  out.at[out.count] = at;
  out.values[out.count++] = value;
}

function fillerOf(part: NumberPart | LevelPart, table: ModelTable, out: DesignRow): (row: number) => void {
  const column = table.columns.get(part.name);
  if (part.kind === 'number' && column?.kind === 'numeric') {
    const { at, mean, sd, missingAt } = part;
    return (row) => {
      const value = column.values[row]!;
      if (!Number.isNaN(value)) put(out, at, (value - mean) / sd);
      else if (missingAt !== null) put(out, missingAt, 1);
    };
  }
  if (part.kind === 'levels' && column?.kind === 'category') {
    const places = new Map(part.places);
    const byCode = Int32Array.from(column.levels, (level) => places.get(level) ?? part.otherAt);
    const missing = places.get(null) ?? part.otherAt;
    return (row) => {
      const code = column.codes[row]!;
      const at = code < 0 ? missing : byCode[code]!;
      if (at >= 0) put(out, at, 1);
    };
  }
  throw new RangeError(`the rows have no column ${JSON.stringify(part.name)} of the kind that the model was fitted to`);
}
