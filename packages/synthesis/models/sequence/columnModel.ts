/** Draws the class of a column, and then its cell. */
import { z } from 'zod';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { firstAbove } from '../../../numerics/search.ts';
import { levelClassesSchema, membersOf, numberClassesSchema, numberIn } from './cellClasses.ts';
import { conditionalSchema, eachRow } from './conditional.ts';
import type { Asked } from './features.ts';

/**
 * `start` draws rows without an earlier number, or all without `next`, which draws changes. With `repeats`, the last
 * class repeats the previous cell.
 */
export const columnModelSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('category'),
    name: z.string(),
    classes: levelClassesSchema,
    repeats: z.boolean(),
    model: conditionalSchema,
    /** Previous level class × level class: 1 if allowed. Null allows all. */
    follows: z.string().nullable(),
  }),
  z.object({
    kind: z.literal('numeric'),
    name: z.string(),
    /** Range of changed numbers. */
    low: z.number(),
    high: z.number(),
    repeats: z.boolean(),
    /** Units per day, and allowed weekdays (0: Thursday); null allows all. */
    days: z.object({ units: z.number(), allowed: z.array(z.boolean()) }).nullable(),
    start: z.object({ classes: numberClassesSchema, model: conditionalSchema }),
    next: z.object({ classes: numberClassesSchema, model: conditionalSchema }).nullable(),
  }),
]);
export type ColumnModel = z.infer<typeof columnModelSchema>;
export type CategoryModel = Extract<ColumnModel, { kind: 'category' }>;
export type NumericModel = Extract<ColumnModel, { kind: 'numeric' }>;

const MAX_DRAWS = 12;

export function drawCells(column: ColumnModel, asked: Asked, random: RandomStream): Float64Array {
  return column.kind === 'category' ? drawLevels(column, asked, random) : drawNumbers(column, asked, random);
}

function drawLevels(column: CategoryModel, asked: Asked, random: RandomStream): Float64Array {
  const { classes, repeats, model } = column;
  const members = membersOf(classes);
  const last = asked.past(column.name, 'last');
  const follows = column.follows === null ? null : Uint8Array.from(Buffer.from(column.follows, 'base64'));
  const kinds = classes.levels.length + 1;
  const same = model.trees.classes - 1;
  const out = new Float64Array(asked.entities.length);
  const mayFollow = (from: number, one: number): boolean =>
    !follows || Number.isNaN(from) || follows[from * kinds + one] === 1;
  eachRow(model, asked, Int32Array.from(out.keys()), (i, p) => {
    const from = last[i]!;
    const canRepeat = repeats && !Number.isNaN(from) && classes.weights[from]! > 0;
    if (repeats) {
      if (!canRepeat) p[same] = 0;
      if (!Number.isNaN(from)) dropAlone(p, classes.classOf[from]!, members);
    }
    if (follows)
      members.forEach(({ ones }, one) => {
        if (!ones.some((level) => mayFollow(from, level))) p[one] = 0;
      });
    members.forEach(({ ones }, one) => {
      if (ones.length === 0) p[one] = 0;
    });
    const drawn = drawFrom(p, random.uniform());
    if (drawn < 0) out[i] = Number.isNaN(from) || !(classes.weights[from]! > 0) ? 0 : from;
    else out[i] = repeats && drawn === same ? from : memberOf(members[drawn]!, random, (one) => mayFollow(from, one));
  });
  return out;
}

/** `repeats` covers a previous level that is alone in its class. */
function dropAlone(p: Float64Array, one: number, members: readonly { ones: number[] }[]): void {
  if (one >= 0 && members[one]!.ones.length <= 1) p[one] = 0;
}

function memberOf(
  { ones, upTo }: { ones: number[]; upTo: Float64Array },
  random: RandomStream,
  may: (one: number) => boolean,
): number {
  if (ones.length === 1) return ones[0]!;
  for (let draw = 0; draw < MAX_DRAWS; draw++) {
    const one = ones[Math.min(ones.length - 1, firstAbove(upTo, random.uniform() * upTo.at(-1)!))]!;
    if (may(one)) return one;
  }
  return ones.find(may) ?? ones[0]!;
}

function drawFrom(p: Float64Array, uniform: number): number {
  let sum = 0;
  for (const own of p) sum += own;
  if (!(sum > 0)) return -1;
  let left = uniform * sum;
  let last = -1;
  for (let k = 0; k < p.length; k++) {
    if (p[k] === 0) continue;
    if (left < p[k]!) return k;
    left -= p[k]!;
    last = k;
  }
  return last;
}

function drawNumbers(column: NumericModel, asked: Asked, random: RandomStream): Float64Array {
  const { start, next, repeats, low, high, days } = column;
  const last = asked.past(column.name, 'last');
  const out = new Float64Array(asked.entities.length);
  const may = (value: number): boolean => value >= low && value <= high && isDay(days, value);
  const drawOf =
    (part: NumericModel['start'], { isNext }: { isNext: boolean }) =>
    (i: number, p: Float64Array) => {
      const from = last[i]!;
      const same = repeats && !isNext ? p.length - 1 : -1;
      if (same >= 0 && Number.isNaN(from)) p[same] = 0;
      let value = Number.NaN;
      for (let draw = 0; draw < MAX_DRAWS; draw++) {
        const bin = drawFrom(p, random.uniform());
        if (bin < 0) break;
        const drawn = bin === same ? from : numberIn(part.classes, bin, random);
        value = isNext ? from + drawn : drawn;
        const isRepeat = same >= 0 && bin !== same && drawn === from;
        if (may(value) && !isRepeat) break;
        // Only the first draw decides on repeats.
        if (isRepeat) p[same] = 0;
      }
      out[i] = may(value) ? value : brought(value, column, from);
    };
  const rows = Int32Array.from(out.keys());
  const isFirst = (i: number): boolean => !next || Number.isNaN(last[i]!);
  eachRow(start.model, asked, rows.filter(isFirst), drawOf(start, { isNext: false }));
  if (next)
    eachRow(
      next.model,
      asked,
      rows.filter((i) => !isFirst(i)),
      drawOf(next, { isNext: true }),
    );
  return out;
}

const isDay = (days: NumericModel['days'], value: number): boolean =>
  days === null || days.allowed[dayOf(days.units, value)]!;

export const dayOf = (units: number, value: number): number => {
  const day = Math.floor(value / units) % 7;
  return day < 0 ? day + 7 : day;
};

/** Prefers later numbers; rising numbers never fall. */
function brought(value: number, { low, high, days, next }: NumericModel, from: number): number {
  const inside = Math.min(high, Math.max(low, value));
  if (isDay(days, inside) || !days) return inside;
  const rises = next !== null && next.classes.margin.values[0]! >= 0;
  for (let step = 1; step < 7; step++) {
    for (const moved of [inside + step * days.units, inside - step * days.units]) {
      if (isDay(days, moved) && moved <= high && moved >= low && !(rises && moved < from)) return moved;
    }
  }
  return inside;
}
