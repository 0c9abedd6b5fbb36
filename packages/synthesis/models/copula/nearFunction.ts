/**
 * A column that earlier numbers nearly determine, as three lengths determine a depth in per cent: a polynomial (of
 * logarithms) and residuals with their own margin. Leaves and bins are too coarse for it, and matching its own margin
 * would break the function.
 */
import { z } from 'zod';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { fitTrimmedPolynomial, polynomialAt } from '../../../numerics/regression/trimmedPolynomial.ts';
import type { JsonValue } from '../model.ts';
import { type Margin, marginSchema, nearestRange, numberAt, saveMargin } from '../shared/margin.ts';
import { float64Schema, saveArray } from '../shared/savedArrays.ts';

export const nearFunctionSchema = z.object({
  /** Names of the inputs. */
  of: z.array(z.string()),
  /** Lower bounds of the inputs and then of the column; null without logarithms. */
  floors: float64Schema.nullable(),
  /** Coefficients of the polynomial. */
  centres: float64Schema,
  scales: float64Schema,
  weights: float64Schema,
  /** Margin of the residuals, of logarithms if those are used. */
  margin: marginSchema,
});
export type NearFunction = z.infer<typeof nearFunctionSchema>;
export type PlainFunction = Omit<NearFunction, 'margin'>;

/** A column without missing cells (n), and its released margin. */
export interface WholeNumbers {
  name: string;
  values: Float64Array;
  released: Margin;
}

/** Minimum number of rows. */
const MIN_FUNCTION_ROWS = 1_000;
/** Maximum residual spread, in standard deviations of the column. */
const MAX_LEFT = 0.08;
/** Residuals below this many standard deviations are rounding errors. */
const ROUNDING = 1e-9;
/** Share of rows below the floor of logarithms. */
const BELOW_FLOOR = 0.001;

export interface FoundFunction {
  fn: PlainFunction;
  /** Residuals (n). */
  left: Float64Array;
  /** Indices in `fn.of` of inputs that move the column by more than residuals may. */
  moving: number[];
}

/** Returns null if `before` does not nearly determine the column. */
export function findNearFunction(column: WholeNumbers, before: readonly WholeNumbers[]): FoundFunction | null {
  if (before.length === 0 || column.values.length < MIN_FUNCTION_ROWS) return null;
  const floors = Float64Array.from([...before, column], ({ released }) => numberAt(released, BELOW_FLOOR));
  const scales = floors.every((floor) => floor > 0) ? [null, floors] : [null];
  const some = takeSome([column, ...before]);
  const promising = scales.filter((own) => (fitOnScale(some, own, GLANCED_STEPS)?.share ?? 1) <= PROMISING);
  const tried = promising.map((own) => fitOnScale([column, ...before], own)).filter((fit) => fit !== null);
  const [best] = tried.sort((a, b) => a.share - b.share);
  if (!best || best.share > MAX_LEFT) return null;
  // Inputs are standardised, so a weight is the effect of one standard deviation.
  const weights = best.polynomial.weights.subarray(1, 1 + before.length);
  return {
    moving: [...before.keys()].filter((k) => Math.abs(weights[k]!) > MAX_LEFT * best.spreadOfY),
    fn: { of: before.map(({ name }) => name), floors: best.floors, ...best.polynomial },
    left: best.left.map((own) => (Math.abs(own) < ROUNDING * best.spreadOfY ? 0 : own)),
  };
}

/** Rows and steps of a quick trial, and the residual spread that it may leave. */
const GLANCED_ROWS = 2_000;
const GLANCED_STEPS = 2;
const PROMISING = 1.5 * MAX_LEFT;

function takeSome(columns: readonly WholeNumbers[]): WholeNumbers[] {
  const every = Math.max(1, Math.floor(columns[0]!.values.length / GLANCED_ROWS));
  return columns.map((own) => ({ ...own, values: own.values.filter((_, row) => row % every === 0) }));
}

function fitOnScale([column, ...before]: readonly WholeNumbers[], floors: Float64Array | null, steps?: number) {
  const x = before.map(({ values, released }, k) => onScale(within(values, released), floors?.[k]));
  const fit = fitTrimmedPolynomial(x, onScale(column!.values, floors?.[before.length]), steps);
  return fit && { ...fit, floors, share: fit.spread / fit.spreadOfY };
}

/** Clamps numbers to the margin's ends, since no row is drawn beyond them. */
export const within = (values: Float64Array, { values: knots }: Margin): Float64Array =>
  values.map((value) => Math.min(knots.at(-1)!, Math.max(knots[0]!, value)));

const onScale = (values: Float64Array, floor: number | undefined): Float64Array =>
  floor === undefined ? values : values.map((value) => Math.log(Math.max(value, floor)));

/** Returns numbers (n) from inputs and residuals. */
export function numbersOf(fn: PlainFunction, inputs: readonly Float64Array[], left: ArrayLike<number>): Float64Array {
  const at = polynomialAt(
    fn,
    inputs.map((input, k) => onScale(input, fn.floors?.[k])),
  );
  return at.map((own, row) => (fn.floors ? Math.exp(own + left[row]!) : own + left[row]!));
}

/** Maps the u of residuals (`own`, n) to u in the column's margin, random within atoms. */
export function uOfFunction(
  fn: NearFunction,
  margin: Margin,
  inputs: readonly Float64Array[],
  own: Float64Array,
  random: RandomStream,
): Float64Array {
  const left = own.map((u) => numberAt(fn.margin, u));
  return numbersOf(fn, inputs, left).map((value) => {
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
