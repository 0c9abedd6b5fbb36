/** Multi-output trees (Zhang and Jung 2021). K classes. */
import type { FeatureBins } from './features.ts';
import type { GrownNode } from './growClassTree.ts';

export interface ClassTrees {
  classes: number;
  binning: FeatureBins[];
  /** Log shares (K). */
  base: Float64Array;
  roots: Int32Array;
  /** f for a number, -2 - f for a category, -1 for a leaf. */
  feature: Int32Array;
  /** Last bin that goes left, or offset into `sides` or `values`. */
  test: Int32Array;
  /** The right child follows. */
  left: Int32Array;
  /** One bit per bin; 1 goes left. */
  sides: Int32Array;
  /** K per leaf. */
  values: Float32Array;
}

export const LEAF = -1;
/** Its own inverse. */
export const levelCode = (feature: number): number => -2 - feature;

/** Averages log probabilities. Throws a RangeError for no fits or different classes. */
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

function startsOf(fits: readonly ClassTrees[], name: 'feature' | 'sides' | 'values'): number[] {
  let next = 0;
  return fits.map((fit) => {
    const start = next;
    next += fit[name].length;
    return start;
  });
}

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
