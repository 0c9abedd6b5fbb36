/**
 * A column that earlier numbers nearly determine, as three lengths determine a depth in per cent: a polynomial (of
 * logarithms) plus residuals with their own margin. Trees and bins are too coarse for it.
 */
import { z } from 'zod';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { fitTrimmedPolynomial, polynomialAt } from '../../../numerics/regression/trimmedPolynomial.ts';
import { type Margin, marginSchema, nearestRange, numberAt } from '../../disclosure/margin.ts';
import { float64Schema } from '../shared/savedArrays.ts';

export const nearFunctionSchema = z.object({
  of: z.array(z.string()),
  /** Lower bounds of inputs and then the column; null without logarithms. */
  floors: float64Schema.nullable(),
  centres: float64Schema,
  scales: float64Schema,
  weights: float64Schema,
  /** Margin of the residuals. */
  margin: marginSchema,
});
export type NearFunction = z.infer<typeof nearFunctionSchema>;
export type PlainFunction = Omit<NearFunction, 'margin'>;

/** No cell is missing. */
export interface WholeNumbers {
  name: string;
  values: Float64Array;
  released: Margin;
}

const MIN_FUNCTION_ROWS = 1_000;
/** Maximum residual spread in standard deviations. */
const MAX_LEFT = 0.08;
/** Smaller residuals are rounding errors. */
const ROUNDING = 1e-9;
/** Share of rows below the logarithm's floor. */
const BELOW_FLOOR = 0.001;

export interface FoundFunction {
  fn: PlainFunction;
  left: Float64Array;
  /** Indices of inputs that move the column noticeably. */
  moving: number[];
}

/** Returns null if `before` does not determine the column. */
export function findNearFunction(column: WholeNumbers, before: readonly WholeNumbers[]): FoundFunction | null {
  if (before.length === 0 || column.values.length < MIN_FUNCTION_ROWS) return null;
  const floors = Float64Array.from([...before, column], ({ released }) => numberAt(released, BELOW_FLOOR));
  const scales = floors.every((floor) => floor > 0) ? [null, floors] : [null];
  const some = takeSome([column, ...before]);
  const promising = scales.filter((own) => (fitOnScale(some, own, GLANCED_STEPS)?.share ?? 1) <= PROMISING);
  const tried = promising.map((own) => fitOnScale([column, ...before], own)).filter((fit) => fit !== null);
  const [best] = tried.sort((a, b) => a.share - b.share);
  if (!best || best.share > MAX_LEFT) return null;
  // Weights are per standard deviation of an input.
  const weights = best.polynomial.weights.subarray(1, 1 + before.length);
  return {
    moving: [...before.keys()].filter((k) => Math.abs(weights[k]!) > MAX_LEFT * best.spreadOfY),
    fn: { of: before.map(({ name }) => name), floors: best.floors, ...best.polynomial },
    left: best.left.map((own) => (Math.abs(own) < ROUNDING * best.spreadOfY ? 0 : own)),
  };
}

/** Rows and steps of a quick trial, and the residual spread it may leave. */
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

/** Clamps numbers, since no row is drawn beyond the margin. */
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

/** Maps u of the residuals (`own`, n) to u in the margin, random within atoms. */
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
