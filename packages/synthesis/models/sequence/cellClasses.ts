/** Maps cells to classes: levels, or bins of a margin. */
import { z } from 'zod';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { firstAbove } from '../../../numerics/search.ts';
import { drawNumber, fitMargins, marginSchema, releasedRange, uRangeOf } from '../../disclosure/margin.ts';
import type { CategoryColumn } from '../model.ts';
import { float64Schema, int32Schema } from '../shared/savedArrays.ts';

// Margins count each number once per entity, to release no number of one entity alone.

const MAX_BINS = 64;

/** Bin b has u in from[b] … upTo[b]. */
export const numberClassesSchema = z.object({ margin: marginSchema, from: float64Schema, upTo: float64Schema });
export type NumberClasses = z.infer<typeof numberClassesSchema>;

/**
 * Returns bins of equal weight, with frequent numbers alone, and each row's bin.
 * @param values one per row, NaN (bin -1) if missing; not all are missing.
 * @param k minimum entities of a released number.
 */
export function fitNumberClasses(
  values: Float64Array,
  entityOf: Int32Array,
  k: number,
  keepRare: boolean,
): { classes: NumberClasses; binOf: Int32Array } {
  const { low, high } = keepRare ? UNBOUNDED : reachedBy(values, entityOf, k);
  const own = values.map((value) => Math.min(high, Math.max(low, value)));
  const { whole, released } = fitMargins(onceAnEntity(own, entityOf), k, { keepRare });
  const sorted = own.filter((value) => !Number.isNaN(value)).sort();
  const { firsts, ends } = binsOf(sorted);
  const from = Float64Array.from(firsts, (value) => uRangeOf(whole, value).from);
  const upTo = Float64Array.from(ends, (value) => uRangeOf(whole, value).upTo);
  const binOf = Int32Array.from(own, (value) => (Number.isNaN(value) ? -1 : firstAbove(firsts, value) - 1));
  return { classes: { margin: released, from, upTo }, binOf };
}

const UNBOUNDED = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };

function reachedBy(values: Float64Array, entityOf: Int32Array, k: number): { low: number; high: number } {
  const [least, most] = [new Map<number, number>(), new Map<number, number>()];
  values.forEach((value, row) => {
    if (Number.isNaN(value)) return;
    const entity = entityOf[row]!;
    least.set(entity, Math.min(value, least.get(entity) ?? value));
    most.set(entity, Math.max(value, most.get(entity) ?? value));
  });
  return {
    low: releasedRange(Float64Array.from(least.values()), k).min,
    high: releasedRange(Float64Array.from(most.values()), k).max,
  };
}

function onceAnEntity(values: Float64Array, entityOf: Int32Array): Float64Array {
  const out: number[] = [];
  let seen = new Set<number>();
  values.forEach((value, row) => {
    if (row > 0 && entityOf[row] !== entityOf[row - 1]) seen = new Set();
    if (Number.isNaN(value) || seen.has(value)) return;
    seen.add(value);
    out.push(value);
  });
  return Float64Array.from(out);
}

function binsOf(sorted: Float64Array): { firsts: Float64Array; ends: Float64Array } {
  const values: number[] = [];
  const counts: number[] = [];
  for (const value of sorted) {
    if (value === values.at(-1)) counts[counts.length - 1]!++;
    else {
      values.push(value);
      counts.push(1);
    }
  }
  const ends = binEnds(counts, sorted.length);
  const firsts = ends.map((_, bin) => values[bin === 0 ? 0 : ends[bin - 1]! + 1]!);
  return { firsts: Float64Array.from(firsts), ends: Float64Array.from(ends, (end) => values[end]!) };
}

const ROOMS = 12;

/** Frequent values get their own bins. */
function binEnds(counts: readonly number[], rows: number): number[] {
  if (counts.length <= MAX_BINS) return [...counts.keys()];
  let [low, high] = [0, rows / MAX_BINS];
  let best = endsOf(counts, high);
  for (let tried = 0; tried < ROOMS; tried++) {
    const room = (low + high) / 2;
    const ends = endsOf(counts, room);
    if (ends.length > MAX_BINS) low = room;
    else [best, high] = [ends, room];
  }
  return best;
}

function endsOf(counts: readonly number[], room: number): number[] {
  const ends: number[] = [];
  let rows = 0;
  counts.forEach((count, at) => {
    rows += count;
    const isFull = rows >= room || at + 1 === counts.length || counts[at + 1]! >= room;
    if (!isFull) return;
    ends.push(at);
    rows = 0;
  });
  return ends;
}

export function numberIn({ margin, from, upTo }: NumberClasses, bin: number, random: RandomStream): number {
  return drawNumber(margin, from[bin]! + random.uniform() * (upTo[bin]! - from[bin]!), random);
}

// Class 0 is a missing cell; the rarest levels share a class.

const MAX_CLASSES = 128;

export const levelClassesSchema = z.object({
  levels: z.array(z.string()),
  /** By class 0 (missing) and k + 1 (level k). */
  classOf: int32Schema,
  classes: z.int(),
  /** Weight in the class; 0 if not released. */
  weights: float64Schema,
  /** Suppressed rows. */
  withheld: z.int(),
});
export type LevelClasses = z.infer<typeof levelClassesSchema>;

/** @param k minimum entities of a released level; 0 releases all. */
export function fitLevelClasses(column: CategoryColumn, entityOf: Int32Array, k: number): LevelClasses {
  const kinds = column.levels.length + 1;
  const [rows, entities, last] = [new Float64Array(kinds), new Int32Array(kinds), new Int32Array(kinds).fill(-1)];
  column.codes.forEach((code, row) => {
    rows[code + 1]!++;
    if (last[code + 1] === entityOf[row]) return;
    last[code + 1] = entityOf[row]!;
    entities[code + 1]!++;
  });
  const isReleased = (one: number): boolean => one === 0 || entities[one]! >= k;
  const weights = rows.map((count, one) => (isReleased(one) ? count : 0));
  const byRows = [...rows.keys()].filter((one) => rows[one]! > 0).sort((a, b) => rows[b]! - rows[a]! || a - b);
  const classOf = new Int32Array(kinds).fill(-1);
  byRows.forEach((one, rank) => {
    classOf[one] = Math.min(rank, MAX_CLASSES - 1);
  });
  const withheld = rows.reduce((sum, count, one) => sum + (isReleased(one) ? 0 : count), 0);
  const classes = Math.min(byRows.length, MAX_CLASSES);
  return { levels: [...column.levels], classOf, classes, weights, withheld };
}

export function membersOf({ classOf, classes, weights }: LevelClasses): { ones: number[]; upTo: Float64Array }[] {
  const members = Array.from({ length: classes }, () => ({ ones: [] as number[], upTo: [] as number[] }));
  classOf.forEach((own, one) => {
    if (own < 0 || !(weights[one]! > 0)) return;
    const of = members[own]!;
    of.ones.push(one);
    of.upTo.push((of.upTo.at(-1) ?? 0) + weights[one]!);
  });
  return members.map(({ ones, upTo }) => ({ ones, upTo: Float64Array.from(upTo) }));
}
