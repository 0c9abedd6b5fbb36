/**
 * The conditional distributions of a vine, column by column (Dissmann et al., 2013). Shapes: d columns, T trees, a block of
 * b rows. For the column at place e: own[t] is F(column | the first t that it is joined to), other[t] is F(the column joined
 * in tree t-1 | this one and those joined before).
 */
import { type Conditioned, conditionOnU, conditionOnV } from '../discrete.ts';
import type { PairCopula } from '../pairCopula.ts';
import { leastPlaces, type Vine } from './vine.ts';

export class Recursion {
  readonly #vine: Vine;
  readonly #least: number[][];
  readonly #needed: Uint8Array[];
  readonly #own: Float64Array[][];
  readonly #other: Float64Array[][];

  constructor(vine: Vine) {
    this.#vine = vine;
    this.#least = leastPlaces(vine.structure.array);
    this.#needed = neededOthers(vine.structure.array, this.#least);
    this.#own = vine.structure.order.map(() => []);
    this.#other = vine.structure.order.map(() => []);
  }

  /** Trees that the column at place e has an edge of its own in. */
  depth(e: number): number {
    const { order, array } = this.#vine.structure;
    return Math.min(array.length, order.length - 1 - e);
  }

  /** Columns come from the last place to the first. Returns F(column | all later ones) of the block. */
  forward(e: number, u: Float64Array): Float64Array {
    const own = this.#own[e]!;
    own[0] = u;
    for (let t = 0; t < this.depth(e); t++) {
      const pair = this.#vine.pairs[t]![e]!;
      const y = this.#partner(t, e);
      own[t + 1] = apply(pair, 'h2Into', own[t]!, y, own[t]!);
      this.#fillOther(t, e, pair, y);
    }
    return own[this.depth(e)]!;
  }

  /** The column whose F(column | all later ones) is `p`. */
  inverse(e: number, p: Float64Array): Float64Array {
    const own = this.#own[e]!;
    own[this.depth(e)] = p;
    for (let t = this.depth(e) - 1; t >= 0; t--) {
      const pair = this.#vine.pairs[t]![e]!;
      const y = this.#partner(t, e);
      own[t] = apply(pair, 'inverseH2Into', own[t + 1]!, y, own[t + 1]!);
      this.#fillOther(t, e, pair, y);
    }
    return own[0]!;
  }

  #fillOther(t: number, e: number, pair: PairCopula, y: Float64Array): void {
    if (this.#needed[t]![e] === 0) return;
    this.#other[e]![t + 1] = apply(pair, 'h1Into', this.#own[e]![t]!, y, y);
  }

  /** What edge e of tree t joins its column to. */
  #partner(t: number, e: number): Float64Array {
    const at = this.#least[t]![e]!;
    const partner = this.#vine.structure.array[t]![e] === at ? this.#own[at]![t] : this.#other[at]![t];
    return partner!;
  }
}

type Batch = 'h1Into' | 'h2Into' | 'inverseH2Into';

/** Arrays are never written to twice, so that `same`, the result under independence, needs no copy. */
function apply(pair: PairCopula, name: Batch, u: Float64Array, v: Float64Array, same: Float64Array): Float64Array {
  if (pair.family === 'independence') return same;
  const out = new Float64Array(u.length);
  pair[name](u, v, out);
  return out;
}

/** needed[t][e]: whether some edge of tree t+1 takes other[t+1] from place e. */
export function neededOthers(
  array: readonly (readonly number[])[],
  least: readonly (readonly number[])[],
): Uint8Array[] {
  return array.map((row, t) => {
    const needed = new Uint8Array(row.length);
    array[t + 1]?.forEach((place, e) => {
      const at = least[t + 1]![e]!;
      if (place !== at) needed[at] = 1;
    });
    return needed;
  });
}

/** As `forward`, for columns that may be discrete, with the log density summed up. Missing cells are NaN. */
export class DensityRecursion {
  readonly #vine: Vine;
  readonly #least: number[][];
  readonly #needed: Uint8Array[];
  readonly #own: Conditioned[][];
  readonly #other: Conditioned[][];

  constructor(vine: Vine) {
    this.#vine = vine;
    this.#least = leastPlaces(vine.structure.array);
    this.#needed = neededOthers(vine.structure.array, this.#least);
    this.#own = vine.structure.order.map(() => []);
    this.#other = vine.structure.order.map(() => []);
  }

  /** Adds the log densities of the edges of place e to `out`; from the last place to the first. */
  add(e: number, column: Conditioned, addEdge: (pair: PairCopula, a: Conditioned, b: Conditioned) => void): void {
    const { array, order } = this.#vine.structure;
    const own = this.#own[e]!;
    own[0] = column;
    const depth = Math.min(array.length, order.length - 1 - e);
    for (let t = 0; t < depth; t++) {
      const pair = this.#vine.pairs[t]![e]!;
      const at = this.#least[t]![e]!;
      const y = (array[t]![e] === at ? this.#own[at]![t] : this.#other[at]![t])!;
      addEdge(pair, own[t]!, y);
      const data = { u: own[t]!.at, v: y.at, uBelow: own[t]!.below, vBelow: y.below };
      const independent = pair.family === 'independence';
      own[t + 1] = independent ? own[t]! : conditionOnV(pair, data);
      if (this.#needed[t]![e]) this.#other[e]![t + 1] = independent ? y : conditionOnU(pair, data);
    }
  }
}
