/** What trees say of the rows of a table: probabilities of classes, or a mean. K = classes, n = rows. */
import type { Steps } from '../steps.ts';
import { assemble, type Compiled } from '../wasm/assemble.ts';
import { bytes, floats, integers, placeArrays, SIZE } from '../wasm/placeArrays.ts';
import { exponentiate, inFours } from './classKernels.ts';
import { type ClassTrees, LEAF, levelCode } from './classTrees.ts';
import { applyBinning, type FeatureTable, valueBins } from './features.ts';
import { addLeaves, findLeaves, SPLIT, TOGETHER, WORD } from './leafKernels.ts';

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
  const walk = new TreeWalk(trees, columns);
  for (let from = 0; from < table.rows; from += BLOCK) {
    const size = Math.min(BLOCK, table.rows - from);
    walk.addLeaves(from, size);
    read(walk, from, size);
    if ((from / BLOCK) % BLOCKS === BLOCKS - 1) yield;
  }
}

const KERNELS = assemble([findLeaves(), addLeaves(), exponentiate()]);

/** Trees in the memory of the kernels, and room for a block of rows. */
class TreeWalk {
  /** By row, K padded to fours. */
  readonly sums: Float32Array;
  readonly #columns: readonly Uint8Array[];
  readonly #stride: number;
  readonly #trees: readonly PlacedTree[];
  readonly #kernels: Compiled;
  readonly #placed: ReturnType<typeof openWalk>['placed'];

  constructor(trees: ClassTrees, columns: readonly Uint8Array[]) {
    const { kernels, placed, walked } = openWalk(trees, columns.length);
    this.#columns = columns;
    this.#stride = inFours(trees.classes) * SIZE;
    this.#trees = walked;
    this.#kernels = kernels;
    this.#placed = placed;
    this.sums = placed.sums.values;
  }

  /** Sums up what the leaves of rows add. */
  addLeaves(from: number, size: number): void {
    const { block, bits, sums } = this.#placed;
    this.#columns.forEach((column, f) => {
      block.values.set(column.subarray(from, from + size), f * BLOCK);
    });
    sums.values.fill(0);
    const [lastRow, lastBits] = [block.at + size, bits.at + size * SIZE];
    for (const { words, leaves } of this.#trees) {
      for (const [w, { from: first, to: last }] of words.entries()) {
        this.#kernels.findLeaves!(first, last, block.at, lastRow, bits.at + w * BLOCK * SIZE);
      }
      this.#kernels.addLeaves!(bits.at, lastBits, BLOCK * SIZE, leaves, this.#stride, sums.at);
    }
  }

  /** Makes parts of the sums of rows, that go together as the probabilities of their classes do. */
  exponentiate(size: number): void {
    const { sums, base } = this.#placed;
    this.#kernels.exponentiate!(sums.at, sums.at + size * this.#stride, this.#stride, base.at);
  }
}

/** A tree as it lies in memory: the splits of each word of its leaves, and the values of these. */
interface PlacedTree {
  words: { from: number; to: number }[];
  leaves: number;
}

/** Trees as the kernels read them. `features`: a byte each in a row. */
function openWalk(trees: ClassTrees, features: number) {
  const { classes, base, roots, values } = trees;
  const padded = inFours(classes);
  const written = new SplitWriter(trees);
  const read = Array.from(roots, (root) => written.add(root));
  const { kernels, placed } = placeArrays(KERNELS, {
    splits: integers(written.splits.length),
    tables: bytes(written.tables.length),
    leaves: floats(values.length === 0 ? 0 : (values.length / classes) * padded),
    base: floats(padded),
    block: bytes(features * BLOCK),
    bits: integers(written.words * BLOCK),
    sums: floats(BLOCK * padded),
  });
  placed.base.values.fill(NOTHING);
  placed.base.values.set(base);
  placed.tables.values.set(written.tables);
  placed.splits.values.set(written.placedAt(placed.tables.at));
  let leaf = 0;
  const walked = read.map(({ leaves, words }): PlacedTree => {
    const at = placed.leaves.at + leaf * padded * SIZE;
    for (const from of leaves) placed.leaves.values.set(values.subarray(from, from + classes), leaf++ * padded);
    const address = (split: number): number => placed.splits.at + split * SPLIT;
    return { leaves: at, words: words.map(({ from, to }) => ({ from: address(from), to: address(to) })) };
  });
  return { kernels, placed, walked };
}

/** Splits of trees, a word of leaves after the other; tables of those of levels. */
class SplitWriter {
  readonly splits: number[] = [];
  readonly tables: number[] = [];
  /** Of the tree that has most of them, at least one. */
  words = 1;
  readonly #trees: ClassTrees;

  constructor(trees: ClassTrees) {
    this.#trees = trees;
  }

  /** Where the values of each leaf begin, from left to right, and the splits of each word. */
  add(root: number): { leaves: number[]; words: { from: number; to: number }[] } {
    const leaves: number[] = [];
    const splits: { node: number; from: number; to: number }[] = [];
    const visit = (node: number): void => {
      const { feature, left, test } = this.#trees;
      if (feature[node] === LEAF) {
        leaves.push(test[node]!);
        return;
      }
      const from = leaves.length;
      visit(left[node]!);
      splits.push({ node, from, to: leaves.length });
      visit(left[node]! + 1);
    };
    visit(root);
    const own = splits.map((split) => ({ ...split, ...this.#testOf(split.node) }));
    const count = Math.ceil(leaves.length / WORD);
    this.words = Math.max(this.words, count);
    const words = Array.from({ length: count }, (_, w) => {
      const first = this.splits.length / (SPLIT / SIZE);
      for (const { from, to, place, test, table } of own) {
        const mask = bitsBetween(from - w * WORD, to - w * WORD);
        if (mask !== 0) this.splits.push(place, test, mask, table);
      }
      return { from: first, to: this.splits.length / (SPLIT / SIZE) };
    });
    return { leaves, words };
  }

  /** The splits where tables begin at `tablesAt`: until then a table counts from 1, since 0 is none. */
  placedAt(tablesAt: number): Int32Array {
    const out = Int32Array.from(this.splits);
    for (let at = 0; at < out.length; at += SPLIT / SIZE) {
      if (out[at + 3] === 0) continue;
      out[at + 1]! += tablesAt;
      out[at + 3]! += tablesAt - 1;
    }
    return out;
  }

  #testOf(node: number): { place: number; test: number; table: number } {
    const { feature, test, binning, sides } = this.#trees;
    const f = feature[node]!;
    if (f > LEAF) return { place: f * BLOCK, test: test[node]!, table: 0 };
    const own = levelCode(f);
    const begin = this.tables.length;
    const size = Math.ceil((valueBins(binning[own]!) + 1) / TOGETHER) * TOGETHER;
    for (let bin = 0; bin < size; bin++) {
      const goesLeft = ((sides[test[node]! + (bin >> 5)]! >>> (bin & 31)) & 1) === 1;
      this.tables.push(goesLeft ? 0 : 255);
    }
    return { place: own * BLOCK, test: this.tables.length, table: begin + 1 };
  }
}

/** Bits `from` … `to` - 1, as far as they are in a word. */
function bitsBetween(from: number, to: number): number {
  const below = (bit: number): number => (bit <= 0 ? 0 : bit >= WORD ? 2 ** WORD - 1 : 2 ** bit - 1);
  return (below(to) - below(from)) | 0;
}
