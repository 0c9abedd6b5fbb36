/**
 * Trees that give a row the probabilities of its classes: each leaf adds to the logarithm of every class (multi-output trees:
 * Zhang and Jung, 2021). Plain typed arrays, nodes of all trees one after the other. K = classes, n = rows.
 */
import type { FeatureBins } from './features.ts';
import type { GrownNode } from './growClassTree.ts';

export interface ClassTrees {
  classes: number;
  binning: FeatureBins[];
  /** K, before the first tree: logarithms of the classes' shares. */
  base: Float64Array;
  /** The first node of each tree. */
  roots: Int32Array;
  /** By node: the feature that it splits on, f for a number, -2 - f for a category; -1 in a leaf. */
  feature: Int32Array;
  /** Of a number, the last bin that goes left; of a category, where its `sides` begin; in a leaf, where its values begin. */
  test: Int32Array;
  /** The left child; the right one comes after it. */
  left: Int32Array;
  /** Of splits on categories, one bit a bin: 1 goes left. */
  sides: Int32Array;
  /** K a leaf. */
  values: Float32Array;
}

/** What `feature` says of a leaf. */
export const LEAF = -1;
/** Of a split on a category; its own inverse. */
export const levelCode = (feature: number): number => -2 - feature;

/**
 * Fits of one table and its classes as one, the mean of the logarithms of their probabilities. Throws RangeError where there is
 * none, or their classes differ in number; the binning is that of the first.
 */
export function poolTrees(fits: readonly ClassTrees[]): ClassTrees {
  const [first, ...others] = fits;
  if (!first) throw new RangeError('no trees to pool');
  if (others.some(({ classes }) => classes !== first.classes)) throw new RangeError('trees of other classes');
  if (others.length === 0) return first;
  const share = 1 / fits.length;
  const [nodes, sides, values] = [startsOf(fits, 'feature'), startsOf(fits, 'sides'), startsOf(fits, 'values')];
  const joined = <T>(of: (fit: ClassTrees, i: number) => Iterable<T>): T[] => fits.flatMap((fit, i) => [...of(fit, i)]);
  const test = ({ feature, test: own }: ClassTrees, i: number) =>
    own.map((at, node) => at + (feature[node] === LEAF ? values[i]! : feature[node]! < LEAF ? sides[i]! : 0));
  return {
    classes: first.classes,
    binning: first.binning,
    base: first.base.map((_, k) => fits.reduce((sum, { base }) => sum + base[k]! * share, 0)),
    roots: Int32Array.from(joined(({ roots }, i) => roots.map((root) => root + nodes[i]!))),
    feature: Int32Array.from(joined(({ feature }) => feature)),
    test: Int32Array.from(joined(test)),
    left: Int32Array.from(joined(({ left }, i) => left.map((node) => (node < 0 ? node : node + nodes[i]!)))),
    sides: Int32Array.from(joined((fit) => fit.sides)),
    values: Float32Array.from(joined((fit) => fit.values.map((value) => value * share))),
  };
}

/** Where the entries of each fit begin, one after the other. */
function startsOf(fits: readonly ClassTrees[], name: 'feature' | 'sides' | 'values'): number[] {
  let next = 0;
  return fits.map((fit) => {
    const start = next;
    next += fit[name].length;
    return start;
  });
}

/** Puts the nodes of trees one after the other. */
export class TreeWriter {
  readonly #kinds: number;
  readonly #roots: number[] = [];
  readonly #feature: number[] = [];
  readonly #test: number[] = [];
  readonly #left: number[] = [];
  readonly #sides: number[] = [];
  readonly #values: Float32Array[] = [];

  constructor(kinds: number) {
    this.#kinds = kinds;
  }

  add(nodes: readonly GrownNode[], values: readonly (Float32Array | null)[]): void {
    const root = this.#feature.length;
    this.#roots.push(root);
    nodes.forEach(({ split, left }, at) => {
      this.#left.push(split ? root + left : -1);
      if (!split) {
        this.#feature.push(LEAF);
        this.#test.push(this.#values.length * this.#kinds);
        this.#values.push(values[at]!);
      } else if (!split.sides) {
        this.#feature.push(split.feature);
        this.#test.push(split.bin);
      } else {
        this.#feature.push(levelCode(split.feature));
        this.#test.push(this.#sides.length);
        this.#sides.push(...bitsOf(split.sides));
      }
    });
  }

  /** The first `count` of them. */
  trees(binning: FeatureBins[], base: Float64Array, count: number): ClassTrees {
    const nodes = this.#roots[count] ?? this.#feature.length;
    const feature = Int32Array.from(this.#feature.slice(0, nodes));
    const leaves = feature.reduce((sum, own) => sum + (own === LEAF ? 1 : 0), 0);
    const values = new Float32Array(leaves * this.#kinds);
    for (let leaf = 0; leaf < leaves; leaf++) values.set(this.#values[leaf]!, leaf * this.#kinds);
    return {
      classes: this.#kinds,
      binning,
      base,
      roots: Int32Array.from(this.#roots.slice(0, count)),
      feature,
      test: Int32Array.from(this.#test.slice(0, nodes)),
      left: Int32Array.from(this.#left.slice(0, nodes)),
      sides: Int32Array.from(this.#sides),
      values,
    };
  }
}

function bitsOf(sides: Uint8Array): Int32Array {
  const out = new Int32Array(Math.ceil(sides.length / 32));
  sides.forEach((side, bin) => {
    if (side === 1) out[bin >> 5]! |= 1 << (bin & 31);
  });
  return out;
}
