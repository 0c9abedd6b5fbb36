/**
 * A column that numbers made before it nearly determine, as three lengths determine a depth in per cent: a polynomial of them, or of
 * logarithms, and what it leaves of the column, which has a margin of its own and is drawn in its place. Leaves and bins are too
 * coarse for such a column, and bringing it to its own margin would take it off the function.
 */
import { z } from 'zod';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { fitTrimmedPolynomial, polynomialAt } from '../../../numerics/regression/trimmedPolynomial.ts';
import type { JsonValue } from '../model.ts';
import { type Margin, marginSchema, nearestRange, numberAt, saveMargin } from '../shared/margin.ts';
import { float64Schema, saveArray } from '../shared/savedArrays.ts';

export const nearFunctionSchema = z.object({
  /** The numbers that it is a function of. */
  of: z.array(z.string()),
  /** Of each of those, and last of the column: smaller numbers count as this one. Null where it is no function of logarithms. */
  floors: float64Schema.nullable(),
  /** Of the polynomial. */
  centres: float64Schema,
  scales: float64Schema,
  weights: float64Schema,
  /** Of what is left: of logarithms, where it is a function of them. */
  margin: marginSchema,
});
export type NearFunction = z.infer<typeof nearFunctionSchema>;
export type PlainFunction = Omit<NearFunction, 'margin'>;

/** A column in the rows that are fitted to: n numbers, none missing, and the margin that is released of it. */
export interface WholeNumbers {
  name: string;
  values: Float64Array;
  released: Margin;
}

/** Rows from which on functions are looked for. */
const MIN_FUNCTION_ROWS = 1_000;
/** Standard deviations of the column that are left, at most. */
const MAX_LEFT = 0.08;
/** Below this part of a standard deviation it is rounding. */
const ROUNDING = 1e-9;
/** The share of rows that may lie below where logarithms begin. */
const BELOW_FLOOR = 0.001;

export interface FoundFunction {
  fn: PlainFunction;
  /** What it leaves of each row (n). */
  left: Float64Array;
  /** Indices of the numbers in `fn.of` that move the column by more than they leave. */
  moving: number[];
}

/** Null where `before` does not nearly determine the column. */
export function findNearFunction(column: WholeNumbers, before: readonly WholeNumbers[]): FoundFunction | null {
  if (before.length === 0 || column.values.length < MIN_FUNCTION_ROWS) return null;
  const floors = Float64Array.from([...before, column], ({ released }) => numberAt(released, BELOW_FLOOR));
  const scales = floors.every((floor) => floor > 0) ? [null, floors] : [null];
  const some = takeSome([column, ...before]);
  const promising = scales.filter((own) => (fitOnScale(some, own, GLANCED_STEPS)?.share ?? 1) <= PROMISING);
  const tried = promising.map((own) => fitOnScale([column, ...before], own)).filter((fit) => fit !== null);
  const [best] = tried.sort((a, b) => a.share - b.share);
  if (!best || best.share > MAX_LEFT) return null;
  // A number enters in standard deviations: its weight is what one of them moves.
  const weights = best.polynomial.weights.subarray(1, 1 + before.length);
  return {
    moving: [...before.keys()].filter((k) => Math.abs(weights[k]!) > MAX_LEFT * best.spreadOfY),
    fn: { of: before.map(({ name }) => name), floors: best.floors, ...best.polynomial },
    left: best.left.map((own) => (Math.abs(own) < ROUNDING * best.spreadOfY ? 0 : own)),
  };
}

/** Rows that say whether all are worth a look, in so many steps, and the standard deviations that may be left of them. */
const GLANCED_ROWS = 2_000;
const GLANCED_STEPS = 2;
const PROMISING = 1.5 * MAX_LEFT;

function takeSome(columns: readonly WholeNumbers[]): WholeNumbers[] {
  const every = Math.max(1, Math.floor(columns[0]!.values.length / GLANCED_ROWS));
  return columns.map((own) => ({ ...own, values: own.values.filter((_, row) => row % every === 0) }));
}

/** The function of the first column, and the part of its spread that is left. */
function fitOnScale([column, ...before]: readonly WholeNumbers[], floors: Float64Array | null, steps?: number) {
  const x = before.map(({ values, released }, k) => onScale(within(values, released), floors?.[k]));
  const fit = fitTrimmedPolynomial(x, onScale(column!.values, floors?.[before.length]), steps);
  return fit && { ...fit, floors, share: fit.spread / fit.spreadOfY };
}

/** Numbers beyond those at which a margin ends count as these: no row that is made has others. */
export const within = (values: Float64Array, { values: knots }: Margin): Float64Array =>
  values.map((value) => Math.min(knots.at(-1)!, Math.max(knots[0]!, value)));

const onScale = (values: Float64Array, floor: number | undefined): Float64Array =>
  floor === undefined ? values : values.map((value) => Math.log(Math.max(value, floor)));

/** The number of each row (n) of which so much is left. */
export function functionValues(
  fn: PlainFunction,
  inputs: readonly Float64Array[],
  left: ArrayLike<number>,
): Float64Array {
  const at = polynomialAt(
    fn,
    inputs.map((input, k) => onScale(input, fn.floors?.[k])),
  );
  return at.map((own, row) => (fn.floors ? Math.exp(own + left[row]!) : own + left[row]!));
}

/**
 * u (n) in the column's margin of rows whose u in the margin of what is left are `own`. It is that of a number which the margin has;
 * that of an atom is at random over its width.
 */
export function uOfFunction(
  fn: NearFunction,
  margin: Margin,
  inputs: readonly Float64Array[],
  own: Float64Array,
  random: RandomStream,
): Float64Array {
  const left = own.map((u) => numberAt(fn.margin, u));
  return functionValues(fn, inputs, left).map((value) => {
    const { from, upTo } = nearestRange(margin, value);
    return from + random.uniform() * (upTo - from);
  });
}

export const saveNearFunction = ({ of, floors, centres, scales, weights, margin }: NearFunction): JsonValue => ({
  of: [...of],
  floors: floors && saveArray(floors),
  centres: saveArray(centres),
  scales: saveArray(scales),
  weights: saveArray(weights),
  margin: saveMargin(margin),
});
