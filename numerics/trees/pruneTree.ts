/**
 * Takes back splits that chance would have made (after Breiman et al., 1984): a node's subtree goes where it lowers the
 * sum of squares by less than `penalty` residual variances of its own for each split. n = rows.
 */
import { addNode, emptyTree, numberLeaves, type Tree } from './tree.ts';

interface NodeSums {
  rows: Float64Array;
  /** Σ (y - leaf's mean)² over the leaves that are kept under the node. */
  within: Float64Array;
  leaves: Int32Array;
  isLeaf: boolean[];
}

/**
 * The tree without the splits that do not pay. `leafOf`: the leaf of each of n rows; `target`: n finite numbers. Among m
 * thresholds the best chance split gains about 2 ln m variances, so that penalties of interest are 0 to some tens.
 */
export function pruneTree(tree: Tree, leafOf: Int32Array, target: Float64Array, penalty: number): Tree {
  const { isLeaf } = decide(tree, leafOf, target, penalty);
  const out = emptyTree();
  const copy = (node: number): number => {
    const at = addNode(out);
    if (isLeaf[node]) {
      out.value[at] = tree.value[node]!;
      return at;
    }
    out.feature[at] = tree.feature[node]!;
    out.bin[at] = tree.bin[node]!;
    out.missingLeft[at] = tree.missingLeft[node]!;
    out.left[at] = copy(tree.left[node]!);
    out.right[at] = copy(tree.right[node]!);
    return at;
  };
  copy(0);
  numberLeaves(out);
  return out;
}

/** Children come after their parents in a grown tree, so that one pass from the end sees them first. */
function decide(tree: Tree, leafOf: Int32Array, target: Float64Array, penalty: number): NodeSums {
  const nodes = tree.feature.length;
  const rows = new Float64Array(nodes);
  const mean = new Float64Array(nodes);
  const total = new Float64Array(nodes);
  const nodeOf = new Int32Array(tree.leaves);
  tree.leaf.forEach((leaf, node) => {
    if (leaf >= 0) nodeOf[leaf] = node;
  });
  for (let row = 0; row < leafOf.length; row++) {
    const node = nodeOf[leafOf[row]!]!;
    const distance = target[row]! - mean[node]!;
    mean[node]! += distance / ++rows[node]!;
    total[node]! += distance * (target[row]! - mean[node]!);
  }
  const within = total.slice();
  const leaves = new Int32Array(nodes).fill(1);
  const isLeaf = tree.feature.map((feature) => feature < 0);
  for (let node = nodes - 1; node >= 0; node--) {
    if (isLeaf[node]) continue;
    const [left, right] = [tree.left[node]!, tree.right[node]!];
    const n = rows[left]! + rows[right]!;
    const between = n > 0 ? ((rows[left]! * rows[right]!) / n) * (mean[left]! - mean[right]!) ** 2 : 0;
    rows[node] = n;
    mean[node] = n > 0 ? (rows[left]! * mean[left]! + rows[right]! * mean[right]!) / n : 0;
    total[node] = total[left]! + total[right]! + between;
    within[node] = within[left]! + within[right]!;
    leaves[node] = leaves[left]! + leaves[right]!;
    const variance = within[node]! / Math.max(1, n - leaves[node]!);
    if (total[node]! - within[node]! > penalty * variance * (leaves[node]! - 1)) continue;
    isLeaf[node] = true;
    within[node] = total[node]!;
    leaves[node] = 1;
  }
  return { rows, within, leaves, isLeaf };
}
