/**
 * Models numbers that are constant in nearly all rows, such as yearly claims. They are drawn last, as levels from a
 * classification tree, because regression trees and ranks barely see rare events.
 */
import { z } from 'zod';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { inSteps } from '../../../numerics/steps.ts';
import { type fitMargins, type Margin, marginSchema } from '../../disclosure/margin.ts';
import { conditionalSchema, fitConditional, prepareDraw } from '../categorical/conditionalModel.ts';
import { classDrawer } from '../categorical/drawClass.ts';
import { type SeenColumn, seenColumn } from '../categorical/features.ts';
import { type CategoryColumn, type FitTask, type ModelTable, type NumericColumn, numericColumn } from '../model.ts';
import { arrangeColumns, uOfColumn } from './arrangeColumns.ts';

/** Level k of `link` is the margin's k-th number. */
export const rareValueColumnSchema = z.object({ name: z.string(), margin: marginSchema, link: conditionalSchema });
export type RareValueColumn = z.infer<typeof rareValueColumnSchema>;

const MIN_SHARE = 0.95;
const MAX_NUMBERS = 20;

/** Requires few numbers, all atoms, one in nearly all rows, and no missing cells. */
export const hasRareValues = ({ values }: NumericColumn, { values: numbers, from, upTo }: Margin): boolean =>
  numbers.length >= 2 &&
  numbers.length <= MAX_NUMBERS &&
  numbers.every((_, k) => from[k]! < upTo[k]!) &&
  numbers.some((_, k) => upTo[k]! - from[k]! >= MIN_SHARE) &&
  !values.some(Number.isNaN);

export interface RareValuesTask {
  events: readonly NumericColumn[];
  others: readonly NumericColumn[];
  margins: ReadonlyMap<string, ReturnType<typeof fitMargins>>;
  rows: Int32Array;
  training: ModelTable;
}

/** Returns events in drawing order. */
export async function fitRareValues(
  { table, given, random, yieldToEventLoop }: FitTask,
  { events, others, margins, rows, training }: RareValuesTask,
): Promise<RareValueColumn[]> {
  if (events.length === 0) return [];
  const categories = given.flatMap((name): CategoryColumn[] => {
    const column = table.columns.get(name);
    return column?.kind === 'category' ? [column] : [];
  });
  const numbers = [...others, ...events];
  const uOfNumbers = numbers.map((column) => uOfColumn(column, margins.get(column.name)!.whole, rows));
  const { order, parents } = await inSteps(
    arrangeColumns(categories, uOfNumbers, rows, { there: others.length }),
    yieldToEventLoop,
  );
  const names = [...categories, ...numbers].map(({ name }) => name);
  const fitted: RareValueColumn[] = [];
  for (const i of order) {
    const { name } = numbers[i]!;
    const own = parents[i]!.map((k) => seenColumn(table, names[k]!)!);
    fitted.push(
      fitRareValueColumn(
        name,
        margins.get(name)!.released,
        { given: own, training },
        random.child('event').child(name),
      ),
    );
    await yieldToEventLoop();
  }
  return fitted;
}

function fitRareValueColumn(
  name: string,
  margin: Margin,
  { given, training }: { given: readonly SeenColumn[]; training: ModelTable },
  random: RandomStream,
): RareValueColumn {
  const { values } = numericColumn(training, name);
  const codeOf = new Map(Array.from(margin.values, (number, code) => [number, code]));
  const [least, greatest] = [margin.values[0]!, margin.values.at(-1)!];
  const column: CategoryColumn = {
    kind: 'category',
    name,
    levels: Array.from(margin.values, String),
    codes: Int32Array.from(values, (value) => codeOf.get(Math.min(greatest, Math.max(least, value)))!),
  };
  const released = new Array<boolean>(margin.values.length + 1).fill(true);
  return { name, margin, link: fitConditional({ table: training, column, released, given, of: null, random }) };
}

/** Draws the column given its parents in `made`, and u uniform within atoms. */
export function makeRareValueColumn({ name, margin, link }: RareValueColumn, made: ModelTable, random: RandomStream) {
  const draw = classDrawer(prepareDraw(link, made), random.child('levels'));
  const spread = random.child('places');
  const codes = Int32Array.from({ length: made.rows }, (_, row) => draw(row) - 1);
  const { values, from, upTo } = margin;
  const column: NumericColumn = { kind: 'numeric', name, values: Float64Array.from(codes, (code) => values[code]!) };
  return { column, u: Float64Array.from(codes, (k) => from[k]! + spread.uniform() * (upTo[k]! - from[k]!)) };
}
