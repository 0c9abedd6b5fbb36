import type { RandomStream } from '../../random/stream.ts';
import { finish, type Steps } from '../../steps.ts';
import { type Conditioned, conditionOnU, conditionOnV, rowLogDensity } from '../discrete.ts';
import type { PairCopula } from '../pairCopula.ts';
import { columnsOf, leastPlaces, type Vine, type VineData } from './vine.ts';

/** 32 MiB. */
const BLOCK_CELLS = 2 ** 22;
const MAX_ROWS = 1_024;
const MIN_ROWS = 64;

/** Simulates d columns of n dependent uniforms in (0, 1). */
export const simulateVine = (vine: Vine, n: number, random: RandomStream): Float64Array[] =>
  finish(simulateSteps(vine, n, random));

/** Yields after each block of at most 1,024 rows. */
export const simulateSteps = (vine: Vine, n: number, random: RandomStream): Steps<Float64Array[]> =>
  drawGiven(vine, new Map(), n, random);

/**
 * Simulates n rows given some columns (values in (0, 1), n each). Throws a RangeError unless they are last in the
 * vine's order.
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

/** Maps dependent to independent uniforms (Rosenblatt 1952); d columns of n in (0, 1). */
export function rosenblatt(vine: Vine, u: readonly Float64Array[]): Float64Array[] {
  return transform(vine, u, (recursion, e, column) => recursion.forward(e, column));
}

/** Inverts `rosenblatt`. d columns of n in (0, 1). */
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
  const rows = Math.max(MIN_ROWS, Math.min(MAX_ROWS, Math.floor(BLOCK_CELLS / cells)));
  for (let from = 0; from < n; from += rows) yield { from, to: Math.min(from + rows, n) };
}

// Conditionals by column (Dissmann et al. 2013): at position e, own[t] is F(column | first t partners) and other[t] is
// F(partner t-1 | the column and earlier partners).

class Conditionals<Block> {
  protected readonly vine: Vine;
  protected readonly least: number[][];
  protected readonly needed: Uint8Array[];
  protected readonly own: Block[][];
  protected readonly other: Block[][];

  constructor(vine: Vine) {
    this.vine = vine;
    this.least = leastPlaces(vine.structure.array);
    this.needed = neededOthers(vine.structure.array, this.least);
    this.own = vine.structure.order.map(() => []);
    this.other = vine.structure.order.map(() => []);
  }
}

class Recursion extends Conditionals<Float64Array> {
  depth(e: number): number {
    const { order, array } = this.vine.structure;
    return Math.min(array.length, order.length - 1 - e);
  }

  /** Call from the last position to the first. */
  forward(e: number, u: Float64Array): Float64Array {
    const own = this.own[e]!;
    own[0] = u;
    for (let t = 0; t < this.depth(e); t++) {
      const pair = this.vine.pairs[t]![e]!;
      const y = this.#partner(t, e);
      own[t + 1] = apply(pair, 'h2Into', own[t]!, y, own[t]!);
      this.#fillOther(t, e, pair, y);
    }
    return own[this.depth(e)]!;
  }

  inverse(e: number, p: Float64Array): Float64Array {
    const own = this.own[e]!;
    own[this.depth(e)] = p;
    for (let t = this.depth(e) - 1; t >= 0; t--) {
      const pair = this.vine.pairs[t]![e]!;
      const y = this.#partner(t, e);
      own[t] = apply(pair, 'inverseH2Into', own[t + 1]!, y, own[t + 1]!);
      this.#fillOther(t, e, pair, y);
    }
    return own[0]!;
  }

  #fillOther(t: number, e: number, pair: PairCopula, y: Float64Array): void {
    if (this.needed[t]![e] === 0) return;
    this.other[e]![t + 1] = apply(pair, 'h1Into', this.own[e]![t]!, y, y);
  }

  #partner(t: number, e: number): Float64Array {
    const at = this.least[t]![e]!;
    const partner = this.vine.structure.array[t]![e] === at ? this.own[at]![t] : this.other[at]![t];
    return partner!;
  }
}

type Batch = 'h1Into' | 'h2Into' | 'inverseH2Into';

/** Never rewrites arrays, so `same` needs no copy. */
function apply(pair: PairCopula, name: Batch, u: Float64Array, v: Float64Array, same: Float64Array): Float64Array {
  if (pair.family === 'independence') return same;
  const out = new Float64Array(u.length);
  pair[name](u, v, out);
  return out;
}

function neededOthers(array: readonly (readonly number[])[], least: readonly (readonly number[])[]): Uint8Array[] {
  return array.map((row, t) => {
    const needed = new Uint8Array(row.length);
    array[t + 1]?.forEach((position, e) => {
      const at = least[t + 1]![e]!;
      if (position !== at) needed[at] = 1;
    });
    return needed;
  });
}

/** NaN is missing. */
class DensityRecursion extends Conditionals<Conditioned> {
  /** Call from the last position to the first. */
  add(e: number, column: Conditioned, addEdge: (pair: PairCopula, a: Conditioned, b: Conditioned) => void): void {
    const { array, order } = this.vine.structure;
    const own = this.own[e]!;
    own[0] = column;
    const depth = Math.min(array.length, order.length - 1 - e);
    for (let t = 0; t < depth; t++) {
      const pair = this.vine.pairs[t]![e]!;
      const at = this.least[t]![e]!;
      const y = (array[t]![e] === at ? this.own[at]![t] : this.other[at]![t])!;
      addEdge(pair, own[t]!, y);
      const data = { u: own[t]!.at, v: y.at, uBelow: own[t]!.below, vBelow: y.below };
      const independent = pair.family === 'independence';
      own[t + 1] = independent ? own[t]! : conditionOnV(pair, data);
      if (this.needed[t]![e]) this.other[e]![t + 1] = independent ? y : conditionOnU(pair, data);
    }
  }
}

const BLOCK_ROWS = 512;

/**
 * Log density by row, relative to independent margins for discrete columns. Edges of missing cells count as
 * independent. Throws a RangeError for a wrong number of columns.
 */
export function vineLogDensity(vine: Vine, data: VineData): Float64Array {
  const { order } = vine.structure;
  if (data.u.length !== order.length) {
    throw new RangeError(`this vine has ${order.length} columns, and there are ${data.u.length}`);
  }
  const n = data.u[0]!.length;
  const out = new Float64Array(n);
  for (let from = 0; from < n; from += BLOCK_ROWS) {
    const to = Math.min(from + BLOCK_ROWS, n);
    const recursion = new DensityRecursion(vine);
    const block = out.subarray(from, to);
    for (let e = order.length - 1; e >= 0; e--) {
      const below = data.uBelow?.[order[e]!]?.subarray(from, to) ?? null;
      recursion.add(e, { at: data.u[order[e]!]!.subarray(from, to), below }, (pair, a, b) =>
        addEdge(pair, a, b, block),
      );
    }
  }
  return out;
}

function addEdge(pair: PairCopula, a: Conditioned, b: Conditioned, out: Float64Array): void {
  if (pair.family === 'independence') return;
  for (let i = 0; i < out.length; i++) {
    const [u, v] = [a.at[i]!, b.at[i]!];
    if (Number.isNaN(u) || Number.isNaN(v)) continue;
    out[i]! += rowLogDensity(pair, u, v, a.below?.[i] ?? u, b.below?.[i] ?? v);
  }
}
