/** Which columns are functions of those made before them: where these predict rows that neither saw better than the leaves of a tree. */
import { mean, meanWithError } from '../../../numerics/moments.ts';
import { shuffledRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { takeNumbers } from '../../../numerics/rows.ts';
import { tally } from '../../../numerics/tally.ts';
import { drawThreshold } from '../categorical/features.ts';
import type { FitTask } from '../model.ts';
import { fitMargins, type Margin, nearestRange, numberAt } from '../shared/margin.ts';
import { type NumberColumn, spreadCells, uOfColumn } from './arrangeColumns.ts';
import { treeScores } from './chooseDensity.ts';
import type { ChosenSplits } from './chooseSplits.ts';
import type { PresentRows } from './columnTree.ts';
import {
  type FoundFunction,
  findNearFunction,
  functionValues,
  type NearFunction,
  type PlainFunction,
  type WholeNumbers,
  within,
} from './nearFunction.ts';
import { entriesScore, thinned } from './rankedScores.ts';

/** Numbers that a column is a function of, at most: the most informative. */
const MAX_INPUTS = 6;

/** A column's numbers, and the margin by which they have their u. */
export interface ColumnNumbers extends WholeNumbers {
  whole: Margin;
}

/** A function that may do. */
export interface FunctionTrial {
  column: ColumnNumbers;
  fn: PlainFunction;
  /** Of each row: the numbers it is a function of, and what it leaves. */
  inputs: Float64Array[];
  left: Float64Array;
  /** Numbers that stand out would be lost. */
  losesHeaps: boolean;
  /** One that it is a function of is finer. Either way the column had better be made before those. */
  isCoarse: boolean;
}

/** Null where there is none. `before`: the most informative first, null where a cell is missing. */
export function tryFunction(
  column: ColumnNumbers | null,
  before: readonly (ColumnNumbers | null)[],
  random: RandomStream,
): FunctionTrial | null {
  const given = before.filter((own) => own !== null).slice(0, MAX_INPUTS);
  const found = column && findNearFunction(column, given);
  if (!found) return null;
  const inputs = given.map(({ values, released }) => within(values, released));
  return {
    column,
    inputs,
    ...found,
    losesHeaps: losesHeaps(found, column, inputs, random),
    isCoarse: isCoarse(found, column, given),
  };
}

/** Times as many different numbers that a column has which is finer. */
const FINER = 1.5;

/** A quantity that is a total by a price: the total had better be made of the two, since a quantity is rounded to whole numbers. */
const isCoarse = ({ moving }: FoundFunction, column: ColumnNumbers, given: readonly ColumnNumbers[]): boolean =>
  moving.some((k) => new Set(given[k]!.values).size > FINER * new Set(column.values).size);

/** Rows that a number needs for what stands out there, and the share of all rows that may. */
const MIN_HEAP_ROWS = 20;
const MAX_HEAPED = 0.02;

/** Whether numbers that many rows have, as weights of one carat, would be lost among their neighbours if rows had what others leave. */
function losesHeaps(
  { fn, left }: FoundFunction,
  { values, whole }: ColumnNumbers,
  inputs: readonly Float64Array[],
  random: RandomStream,
): boolean {
  const others = takeNumbers(left, shuffledRows(values.length, random));
  const made = tally(
    functionValues(fn, inputs, others).map((value) => numberAt(whole, nearestRange(whole, value).upTo)),
  );
  let lost = 0;
  for (const [value, rows] of tally(values))
    if (rows >= MIN_HEAP_ROWS) lost += Math.max(0, rows - 2 * (made.get(value) ?? 0));
  return lost > MAX_HEAPED * values.length;
}

/** Standard errors by which a function has to predict better than the tree, and the share of the tree's score. */
const CLEARLY = 2;
const MIN_GAIN = 0.1;

/** What is drawn in place of a column. */
export interface ChosenFunction {
  near: NearFunction;
  /** What the function leaves, as u of its own margin. */
  left: NumberColumn;
}

/** Null where the tree stays. `splits`: of the tree's trial, null where it had none. */
export function chooseFunction(
  found: FunctionTrial | null,
  splits: ChosenSplits | null,
  present: PresentRows,
  { random, settings }: FitTask,
): ChosenFunction | null {
  if (!found || !splits || found.losesHeaps) return null;
  const { name } = found.column;
  const spread = spreadCells(present, random.child('functions').child(name));
  const ofTree = treeScores(splits, present, spread);
  if (!predictsBetter(found, splits, ofTree, spread)) return null;
  const k = drawThreshold(random.child('rare numbers').child(name));
  const { whole, released } = fitMargins(found.left, k, settings);
  const rows = Int32Array.from(found.left.keys());
  return {
    near: { ...found.fn, margin: released },
    left: uOfColumn({ kind: 'numeric', name, values: found.left }, whole, rows),
  };
}

/** By the continuous ranked probability score of the rows held out, whose u are in `spread`; `ofTree`: the tree's scores of them. */
function predictsBetter(
  { column, fn, inputs, left }: FunctionTrial,
  { kept, held }: Pick<ChosenSplits, 'kept' | 'held'>,
  ofTree: Float64Array,
  spread: Float64Array,
): boolean {
  const own = inputs.map((input) => takeNumbers(input, held));
  const numbers = Array.from(thinned([...takeNumbers(left, kept)]), (one) =>
    functionValues(fn, own, new Float64Array(held.length).fill(one)),
  );
  const gains = ofTree.map((score, i) => {
    const entries = Float64Array.from(numbers, (values, k) => {
      const { from, upTo } = nearestRange(column.whole, values[i]!);
      return from + ((k + 0.5) / numbers.length) * (upTo - from);
    });
    return score - entriesScore(entries, spread[held[i]!]!);
  });
  const { mean: gain, error } = meanWithError(gains);
  return gain > Math.max(CLEARLY * error, MIN_GAIN * mean(ofTree));
}
