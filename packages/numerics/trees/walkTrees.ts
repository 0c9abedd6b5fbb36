/** What trees say of the rows of a table: probabilities of classes, or a mean. K = classes, n = rows. */
import type { Steps } from '../steps.ts';
import type { Compiled } from '../wasm/assemble.ts';
import { floats, integers, placeArrays, SIZE } from '../wasm/placeArrays.ts';
import { CLASS_KERNELS, inFours, NODE } from './classKernels.ts';
import { type ClassTrees, LEAF, levelCode } from './classTrees.ts';
import { applyBinning, type FeatureTable } from './features.ts';

/** Rows that are asked at once: they and one tree then stay where they are quickly read; and blocks of a step. */
const BLOCK = 256;
const BLOCKS = 8;
/** The logarithm that classes have which only fill up a four: no share of the others. */
const NOTHING = -1e30;

/**
 * Calls `each` for every row in order, with the probabilities of its classes (K, overwritten), as good as f32 are. Steps: 2,048 rows each.
 * Throws RangeError where the table's features are others than at the fit.
 */
export function* eachProbabilities(
  trees: ClassTrees,
  table: FeatureTable,
  each: (row: number, p: Float64Array) => void,
): Steps<void> {
  const width = inFours(trees.classes);
  const p = new Float64Array(trees.classes);
  yield* eachBlock(trees, table, (walk, from, size) => {
    walk.exponentiate(size);
    for (let i = 0; i < size; i++) {
      shares(walk.sums, i * width, p);
      each(from + i, p);
    }
  });
}

function shares(parts: Float32Array, from: number, out: Float64Array): void {
  let sum = 0;
  for (let k = 0; k < out.length; k++) sum += parts[from + k]!;
  for (let k = 0; k < out.length; k++) out[k] = parts[from + k]! / sum;
}

/** The mean of every row of the table, n, of trees of one value. Steps: 2,048 rows each. */
export function* meansOf(trees: ClassTrees, table: FeatureTable): Steps<Float64Array> {
  const out = new Float64Array(table.rows);
  const width = inFours(1);
  yield* eachBlock(trees, table, (walk, from, size) => {
    for (let i = 0; i < size; i++) out[from + i] = trees.base[0]! + walk.sums[i * width]!;
  });
  return out;
}

/** `read` finds the sums of what leaves add, without the base, of `size` rows from `from` on. */
function* eachBlock(
  trees: ClassTrees,
  table: FeatureTable,
  read: (walk: TreeWalk, from: number, size: number) => void,
): Steps<void> {
  const columns = applyBinning(trees.binning, table);
  const walk = new TreeWalk(trees, columns, Math.min(BLOCK, table.rows));
  for (let from = 0; from < table.rows; from += BLOCK) {
    const size = Math.min(BLOCK, table.rows - from);
    walk.addLeaves(from, size);
    read(walk, from, size);
    if ((from / BLOCK) % BLOCKS === BLOCKS - 1) yield;
  }
}

/** Trees in the memory of the kernels, and room for a block of rows. */
class TreeWalk {
  /** By row, K padded to fours. */
  readonly sums: Float32Array;
  readonly #columns: readonly Uint8Array[];
  readonly #rows: Uint8Array;
  readonly #stride: number;
  readonly #kernels: Compiled;
  readonly #placed: ReturnType<typeof placeTrees>['placed'];

  constructor(trees: ClassTrees, columns: readonly Uint8Array[], block: number) {
    const { kernels, placed } = placeTrees(trees, columns.length, block);
    this.#columns = columns;
    this.#rows = new Uint8Array(placed.rows.values.buffer, placed.rows.at, block * columns.length);
    this.#stride = inFours(trees.classes) * SIZE;
    this.#kernels = kernels;
    this.#placed = placed;
    this.sums = placed.sums.values;
  }

  /** Sums up what the leaves of rows add. */
  addLeaves(from: number, size: number): void {
    const width = this.#columns.length;
    this.#columns.forEach((column, f) => {
      for (let i = 0; i < size; i++) this.#rows[i * width + f] = column[from + i]!;
    });
    this.sums.fill(0);
    const { roots, rows, sums } = this.#placed;
    const lastRoot = roots.at + roots.values.length * SIZE;
    this.#kernels.walk!(roots.at, lastRoot, rows.at, rows.at + size * width, width, sums.at, this.#stride);
  }

  /** Makes parts of the sums of rows, that go together as the probabilities of their classes do. */
  exponentiate(size: number): void {
    const { sums, base } = this.#placed;
    this.#kernels.exponentiate!(sums.at, sums.at + size * this.#stride, this.#stride, base.at);
  }
}

/** Written as the kernels read them. `width`: features, a byte each in a row. */
function placeTrees(trees: ClassTrees, width: number, block: number) {
  const { classes, base, roots, feature, values, sides } = trees;
  const padded = inFours(classes);
  const leaves = values.length / classes;
  const { kernels, placed } = placeArrays(CLASS_KERNELS, {
    ...{ nodes: integers((feature.length * NODE) / SIZE), roots: integers(roots.length) },
    ...{ sides: integers(sides.length), leaves: floats(leaves * padded), base: floats(padded) },
    ...{ rows: integers(Math.ceil((block * width) / SIZE)), sums: floats(block * padded) },
  });
  placed.roots.values.set(roots.map((root) => placed.nodes.at + root * NODE));
  placed.sides.values.set(sides);
  placed.base.values.fill(NOTHING);
  placed.base.values.set(base);
  for (let leaf = 0; leaf < leaves; leaf++) {
    placed.leaves.values.set(values.subarray(leaf * classes, (leaf + 1) * classes), leaf * padded);
  }
  writeNodes(trees, placed.nodes, (leaf) => placed.leaves.at + leaf * padded * SIZE, placed.sides.at);
  return { kernels, placed };
}

/** Each node as the kernel reads it. */
function writeNodes(
  { classes, feature, test, left }: ClassTrees,
  nodes: { at: number; values: Int32Array },
  addressOfLeaf: (leaf: number) => number,
  sidesAt: number,
): void {
  feature.forEach((f, node) => {
    const isLeaf = f === LEAF;
    const isLevel = f < LEAF;
    const tested = isLeaf ? addressOfLeaf(test[node]! / classes) : isLevel ? 0 : test[node]!;
    const place = isLeaf ? 0 : isLevel ? levelCode(f) : f;
    const child = isLeaf ? 0 : nodes.at + left[node]! * NODE;
    nodes.values.set([tested, place, child, isLevel ? sidesAt + test[node]! * SIZE : 0], (node * NODE) / SIZE);
  });
}
