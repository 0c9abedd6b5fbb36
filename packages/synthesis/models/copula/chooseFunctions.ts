/** Finds columns that are functions of earlier ones, if those predict held-out rows better than trees. */
import { mean, meanWithError } from '../../../numerics/moments.ts';
import { shuffledRows } from '../../../numerics/random/draws.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { takeNumbers } from '../../../numerics/rows.ts';
import { tally } from '../../../numerics/tally.ts';
import { fitMargins, type Margin, nearestRange, numberAt } from '../../disclosure/margin.ts';
import { drawThreshold } from '../../disclosure/thresholds.ts';
import type { FitTask } from '../model.ts';
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

const MAX_INPUTS = 6;

export interface ColumnNumbers extends WholeNumbers {
  whole: Margin;
}

export interface FunctionTrial {
  column: ColumnNumbers;
  fn: PlainFunction;
  /** Inputs and residuals per row. */
  inputs: Float64Array[];
  left: Float64Array;
  /** Whether frequent numbers would vanish. */
  losesHeaps: boolean;
  /** Whether an input is finer. If either flag is set, the column should precede its inputs. */
  isCoarse: boolean;
}

/** Returns null if no function fits. `before` has the most informative first, null if cells are missing. */
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

/** Ratio of distinct numbers. */
const FINER = 1.5;

/** A rounded quantity (total by price) should precede the total. */
const isCoarse = ({ moving }: FoundFunction, column: ColumnNumbers, given: readonly ColumnNumbers[]): boolean =>
  moving.some((k) => new Set(given[k]!.values).size > FINER * new Set(column.values).size);

/** Minimum rows of a frequent number, and maximum share of rows lost. */
const MIN_HEAP_ROWS = 20;
const MAX_HEAPED = 0.02;

/** Checks whether frequent numbers (weights of one carat) would vanish under shuffled residuals. */
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

/** Required gain in standard errors, and as a share of the tree's score. */
const CLEARLY = 2;
const MIN_GAIN = 0.1;

export interface ChosenFunction {
  near: NearFunction;
  /** u of the residuals. */
  left: NumberColumn;
}

/** Returns null to keep the tree. `splits` is null without a trial. */
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
