/** Plain JSON; node 0 is the root. */
export interface Tree {
  /** -1 in leaves. */
  feature: number[];
  /** Bins up to this go left. */
  bin: number[];
  missingLeft: boolean[];
  left: number[];
  right: number[];
  /** Shrunk Newton step; 0 in inner nodes. */
  value: number[];
  /** 0 … leaves-1 in node order; -1 in inner nodes. */
  leaf: number[];
  leaves: number;
}

/** `missing`: missing bin by feature. */
export function leafNode(tree: Tree, bins: readonly Uint8Array[], missing: readonly number[], row: number): number {
  let node = 0;
  let feature = tree.feature[0]!;
  while (feature >= 0) {
    const bin = bins[feature]![row]!;
    const goesLeft = bin === missing[feature] ? tree.missingLeft[node]! : bin <= tree.bin[node]!;
    node = goesLeft ? tree.left[node]! : tree.right[node]!;
    feature = tree.feature[node]!;
  }
  return node;
}

export function emptyTree(): Tree {
  return { feature: [], bin: [], missingLeft: [], left: [], right: [], value: [], leaf: [], leaves: 0 };
}

export function addNode(tree: Tree): number {
  tree.bin.push(-1);
  tree.missingLeft.push(false);
  tree.left.push(-1);
  tree.right.push(-1);
  tree.value.push(0);
  tree.leaf.push(-1);
  return tree.feature.push(-1) - 1;
}

/** Call once after growing. */
export function numberLeaves(tree: Tree): void {
  for (let node = 0; node < tree.feature.length; node++) {
    if (tree.feature[node]! < 0) tree.leaf[node] = tree.leaves++;
  }
}

// Removes subtrees whose splits each reduce the sum of squares by less than `penalty` residual variances (after Breiman
// et al. 1984).

interface NodeSums {
  rows: Float64Array;
  /** Σ (y - leaf mean)² over kept leaves. */
  within: Float64Array;
  leaves: Int32Array;
  isLeaf: boolean[];
}

/** `leafOf`, `target`: n each. The best chance split of m thresholds gains about 2 ln m variances. */
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

/** Children follow parents, so a backward pass suffices. */
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
