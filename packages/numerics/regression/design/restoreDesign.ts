import { field, indexIn, list, nullable, number, oneOf, type SavedNode, text, truth, whole } from '../../savedNode.ts';
import type { BoostedTrees } from '../../trees/boostedTrees.ts';
import type { FeatureBins } from '../../trees/features.ts';
import type { Tree } from '../../trees/tree.ts';
import { HALVES, type Half } from './crossFit.ts';
import type { Design, LeafPart, LevelPart, NumberPart, NumberScale, PairPart, Part, TreeFeature } from './design.ts';
import { PAIR_WAVES } from './pairFunctions.ts';
import type { ScaleGroups } from './scaleGroups.ts';
import type { SplineBasis } from './splineBasis.ts';

/** Throws a RangeError with the invalid path. */
export function restoreDesign(saved: unknown): Design {
  const root = { value: saved, path: 'the saved design' };
  const columns = list(field(root, 'columns'), (column) => ({
    name: text(field(column, 'name')),
    sd: number(field(column, 'sd')),
    perUnit: nullable(field(column, 'perUnit'), number),
  }));
  const index = (node: SavedNode) => indexIn(node, -2, columns.length);
  return {
    columns,
    pools: list(field(root, 'pools'), (pool) => ({
      name: text(field(pool, 'name')),
      columns: list(field(pool, 'columns'), (column) => indexIn(column, 0, columns.length)),
      sds: list(field(pool, 'sds'), number),
    })),
    parts: list(field(root, 'parts'), (part) => restorePart(part, index)),
    dropped: list(field(root, 'dropped'), (column) => ({
      name: text(field(column, 'name')),
      reason: text(field(column, 'reason')),
    })),
  };
}

/** Throws a RangeError with the invalid path. */
export function restoreScaleGroups(saved: unknown): ScaleGroups {
  const root = { value: saved, path: 'the saved scale groups' };
  const features = restoreFeatures(field(root, 'features'));
  return {
    groups: whole(field(root, 'groups')),
    features,
    tree: nullable(field(root, 'tree'), (tree) => restoreTrees(tree, features.length)),
  };
}

type IndexReader = (node: SavedNode) => number;

function restorePart(node: SavedNode, index: IndexReader): Part {
  const kind = oneOf(field(node, 'kind'), ['number', 'levels', 'leaves', 'pairs']);
  if (kind === 'number') return restoreNumber(node, index);
  if (kind === 'levels') return restoreLevels(node, index);
  return kind === 'pairs' ? restorePairs(node, index) : restoreLeaves(node, index);
}

const restoreNumber = (node: SavedNode, index: IndexReader): NumberPart => ({
  kind: 'number',
  name: text(field(node, 'name')),
  scale: nullable(field(node, 'scale'), restoreScale),
  slope: index(field(node, 'slope')),
  missing: index(field(node, 'missing')),
  spline: nullable(field(node, 'spline'), restoreSplineBasis),
  splineColumns: list(field(node, 'splineColumns'), index),
});

const restoreScale = (node: SavedNode): NumberScale => ({
  unit: number(field(node, 'unit')),
  low: number(field(node, 'low')),
  high: number(field(node, 'high')),
  mean: number(field(node, 'mean')),
  sd: number(field(node, 'sd')),
});

const restoreSplineBasis = (node: SavedNode): SplineBasis => ({
  knots: list(field(node, 'knots'), number),
  slopes: list(field(node, 'slopes'), number),
  offset: list(field(node, 'offset'), number),
  slope: list(field(node, 'slope'), number),
  norm: number(field(node, 'norm')),
});

const restoreLevels = (node: SavedNode, index: IndexReader): LevelPart => ({
  kind: 'levels',
  name: text(field(node, 'name')),
  levels: list(field(node, 'levels'), text),
  places: list(field(node, 'places'), index),
  missing: index(field(node, 'missing')),
  unseen: {
    places: list(field(field(node, 'unseen'), 'places'), index),
    shares: list(field(field(node, 'unseen'), 'shares'), number),
  },
});

function restorePairs(node: SavedNode, index: IndexReader): PairPart {
  const inputs = list(field(node, 'inputs'), (input) => ({
    name: text(field(input, 'name')),
    cuts: list(field(input, 'cuts'), number),
  }));
  const pairs = list(field(node, 'pairs'), (pair) => ({
    first: indexIn(field(pair, 'first'), 0, inputs.length),
    second: indexIn(field(pair, 'second'), 0, inputs.length),
    places: restorePlaces(field(pair, 'places'), index),
  }));
  return { kind: 'pairs', inputs, pairs };
}

function restorePlaces(node: SavedNode, index: IndexReader): number[] {
  const places = list(node, index);
  if (places.length === PAIR_WAVES.length) return places;
  throw new RangeError(`${node.path} has ${places.length} columns, not ${PAIR_WAVES.length}`);
}

function restoreLeaves(node: SavedNode, index: IndexReader): LeafPart {
  const features = restoreFeatures(field(node, 'features'));
  const trees = restoreTrees(field(node, 'trees'), features.length);
  const places = list(field(node, 'places'), (tree) => list(tree, index));
  return { kind: 'leaves', half: restoreHalf(node), features, trees, places };
}

/** Null in designs without cross-fitting. */
const restoreHalf = (node: SavedNode): Half | null =>
  optional(node, 'half', (saved) => nullable(saved, (half) => (indexIn(half, 0, HALVES.length) === 0 ? 0 : 1)));

const optional = <T>(node: SavedNode, key: string, read: (saved: SavedNode) => T): T | null =>
  typeof node.value === 'object' && node.value !== null && Object.hasOwn(node.value, key)
    ? read(field(node, key))
    : null;

const restoreFeatures = (node: SavedNode): TreeFeature[] =>
  list(node, (item) => ({
    name: text(field(item, 'name')),
    levels: nullable(field(item, 'levels'), (levels) => list(levels, text)),
  }));

function restoreTrees(node: SavedNode, features: number): BoostedTrees {
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

/** Requires children after their parents, so that walks end. */
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
