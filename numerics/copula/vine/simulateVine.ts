/** Draws from vines, and Rosenblatt's (1952) transform both ways. Shapes: d columns, n rows. */
import type { RandomStream } from '../../random/stream.ts';
import { finish, type Steps } from '../../regression/steps.ts';
import { Recursion } from './recursion.ts';
import { columnsOf, type Vine } from './vine.ts';

/** Numbers of a block that all conditional distributions of the vine may take: 32 MiB. */
const BLOCK_CELLS = 2 ** 22;
const MOST_ROWS = 1_024;
const LEAST_ROWS = 64;

/** n rows of dependent uniforms, d columns. d uniforms a row, in the order of simulation. */
export const simulateVine = (vine: Vine, n: number, random: RandomStream): Float64Array[] =>
  finish(simulateSteps(vine, n, random));

/** As `simulateVine`; a step is a block of at most 1,024 rows. */
export const simulateSteps = (vine: Vine, n: number, random: RandomStream): Steps<Float64Array[]> =>
  drawGiven(vine, new Map(), n, random);

/**
 * n rows in which the given columns (numbers and values in (0, 1), n each) are as they are and the others are drawn given
 * them. They must be the last in the vine's order, as `givenFirst` makes them; RangeError where they are not.
 */
export const simulateGiven = (
  vine: Vine,
  given: ReadonlyMap<number, Float64Array>,
  n: number,
  random: RandomStream,
): Float64Array[] => finish(drawGiven(vine, given, n, random));

function* drawGiven(
  vine: Vine,
  given: ReadonlyMap<number, Float64Array>,
  n: number,
  random: RandomStream,
): Steps<Float64Array[]> {
  const { order } = vine.structure;
  const free = order.length - given.size;
  const stray = order.slice(0, free).find((column) => given.has(column));
  if (stray !== undefined || [...given.keys()].some((column) => !order.includes(column))) {
    throw new RangeError(
      `columns ${[...given.keys()].join(', ')} cannot be given to this vine, which can be given the last of ${order.join(', ')}; fit it with givenFirst`,
    );
  }
  const out = emptyColumns(order.length, n);
  for (const { from, to } of blocksOf(vine, n)) {
    const recursion = new Recursion(vine);
    const noise = order.slice(0, free).map(() => new Float64Array(to - from));
    for (let i = 0; i < to - from; i++) for (let e = free - 1; e >= 0; e--) noise[e]![i] = random.uniform();
    for (let e = order.length - 1; e >= 0; e--) {
      const column = order[e]!;
      const fixed = given.get(column)?.slice(from, to);
      if (fixed !== undefined) recursion.forward(e, fixed);
      out[column]!.set(fixed ?? recursion.inverse(e, noise[e]!), from);
    }
    yield;
  }
  return out;
}

/** Independent uniforms of dependent ones: column c becomes F(column | the columns later in the order). */
export function rosenblatt(vine: Vine, u: readonly Float64Array[]): Float64Array[] {
  return transform(vine, u, (recursion, e, column) => recursion.forward(e, column));
}

/** Dependent uniforms of independent ones: undoes `rosenblatt`. */
export function inverseRosenblatt(vine: Vine, p: readonly Float64Array[]): Float64Array[] {
  return transform(vine, p, (recursion, e, column) => recursion.inverse(e, column));
}

function transform(
  vine: Vine,
  columns: readonly Float64Array[],
  step: (recursion: Recursion, e: number, column: Float64Array) => Float64Array,
): Float64Array[] {
  const { order } = vine.structure;
  if (columns.length !== order.length) {
    throw new RangeError(`this vine has ${order.length} columns, and there are ${columns.length}`);
  }
  const out = emptyColumns(order.length, columns[0]!.length);
  for (const { from, to } of blocksOf(vine, columns[0]!.length)) {
    const recursion = new Recursion(vine);
    for (let e = order.length - 1; e >= 0; e--) {
      const column = order[e]!;
      out[column]!.set(step(recursion, e, columns[column]!.slice(from, to)), from);
    }
  }
  return out;
}

const emptyColumns = (columns: number, n: number) => Array.from({ length: columns }, () => new Float64Array(n));

function* blocksOf(vine: Vine, n: number): Generator<{ from: number; to: number }> {
  const cells = 2 * columnsOf(vine) * (vine.structure.array.length + 1);
  const rows = Math.max(LEAST_ROWS, Math.min(MOST_ROWS, Math.floor(BLOCK_CELLS / cells)));
  for (let from = 0; from < n; from += rows) yield { from, to: Math.min(from + rows, n) };
}
