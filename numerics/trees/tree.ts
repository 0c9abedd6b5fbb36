/** One grown tree: nodes in arrays, node 0 the root. Plain arrays, so that a tree is JSON as it is. */
export interface Tree {
  /** Feature that an inner node splits on; -1 in a leaf. */
  feature: number[];
  /** A row whose bin is at most this goes left. */
  bin: number[];
  /** Whether a missing cell goes left. */
  missingLeft: boolean[];
  left: number[];
  right: number[];
  /** What a leaf adds to the prediction (its shrunk Newton step); 0 in an inner node. */
  value: number[];
  /** Leaves are numbered 0 … leaves-1 in the order of their nodes; -1 in an inner node. */
  leaf: number[];
  leaves: number;
}

/** Node of the leaf that a row falls in. `missing[f]` is the missing bin of feature f. */
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

/** Appends a leaf and returns its node. */
export function addNode(tree: Tree): number {
  tree.bin.push(-1);
  tree.missingLeft.push(false);
  tree.left.push(-1);
  tree.right.push(-1);
  tree.value.push(0);
  tree.leaf.push(-1);
  return tree.feature.push(-1) - 1;
}

/** To be called once, when the tree is grown. */
export function numberLeaves(tree: Tree): void {
  for (let node = 0; node < tree.feature.length; node++) {
    if (tree.feature[node]! < 0) tree.leaf[node] = tree.leaves++;
  }
}
