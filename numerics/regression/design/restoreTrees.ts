/** Reads back boosted trees. */
import type { FeatureBins } from '../../trees/binning.ts';
import type { BoostedTrees } from '../../trees/boostedTrees.ts';
import type { Tree } from '../../trees/tree.ts';
import type { TreeFeature } from './design.ts';
import { field, indexIn, list, nullable, number, oneOf, type SavedNode, text, truth, whole } from './savedNode.ts';

export const restoreFeatures = (node: SavedNode): TreeFeature[] =>
  list(node, (item) => ({
    name: text(field(item, 'name')),
    levels: nullable(field(item, 'levels'), (levels) => list(levels, text)),
  }));

export function restoreTrees(node: SavedNode, features: number): BoostedTrees {
  return {
    loss: oneOf(field(node, 'loss'), ['squared', 'logistic']),
    baseline: number(field(node, 'baseline')),
    binning: list(field(node, 'binning'), restoreBins),
    trees: list(field(node, 'trees'), (tree) => restoreTree(tree, features)),
  };
}

function restoreBins(node: SavedNode): FeatureBins {
  const kind = oneOf(field(node, 'kind'), ['numeric', 'category']);
  if (kind === 'numeric') return { kind, cuts: list(field(node, 'cuts'), number) };
  return { kind, binOfLevel: list(field(node, 'binOfLevel'), whole), bins: whole(field(node, 'bins')) };
}

/** Children come after their parent, so that every walk ends. */
function restoreTree(node: SavedNode, features: number): Tree {
  const feature = list(field(node, 'feature'), (item) => indexIn(item, -1, features));
  const nodes = feature.length;
  const children = (key: string) =>
    list(field(node, key), whole).map((child, at) =>
      indexIn({ value: child, path: `${node.path}.${key}[${at}]` }, feature[at] === -1 ? -1 : at + 1, nodes),
    );
  const leaves = whole(field(node, 'leaves'));
  return {
    feature,
    bin: list(field(node, 'bin'), whole),
    missingLeft: list(field(node, 'missingLeft'), truth),
    left: children('left'),
    right: children('right'),
    value: list(field(node, 'value'), number),
    leaf: list(field(node, 'leaf'), (item) => indexIn(item, -1, leaves)),
    leaves,
  };
}
