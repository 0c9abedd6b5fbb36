/** Reads back designs and scale groups that were saved as JSON; a saved one is the object itself, written out. */
import type { Bend } from './bend.ts';
import type { Design, LeafPart, LevelPart, NumberPart, Part } from './design.ts';
import type { NumberScale } from './numberScale.ts';
import { restoreFeatures, restoreTrees } from './restoreTrees.ts';
import { field, indexIn, list, nullable, number, oneOf, type SavedNode, text, whole } from './savedNode.ts';
import type { ScaleGroups } from './scaleGroups.ts';

/** Throws RangeError, saying where, if it is not a design. */
export function restoreDesign(saved: unknown): Design {
  const root = { value: saved, path: 'the saved design' };
  const columns = list(field(root, 'columns'), (column) => ({
    name: text(field(column, 'name')),
    sd: number(field(column, 'sd')),
    perUnit: nullable(field(column, 'perUnit'), number),
  }));
  const place = (node: SavedNode) => indexIn(node, -2, columns.length);
  return {
    columns,
    pools: list(field(root, 'pools'), (pool) => ({
      name: text(field(pool, 'name')),
      columns: list(field(pool, 'columns'), (column) => indexIn(column, 0, columns.length)),
      sds: list(field(pool, 'sds'), number),
    })),
    parts: list(field(root, 'parts'), (part) => restorePart(part, place)),
    dropped: list(field(root, 'dropped'), (column) => ({
      name: text(field(column, 'name')),
      reason: text(field(column, 'reason')),
    })),
  };
}

/** Throws RangeError, saying where, if they are not scale groups. */
export function restoreScaleGroups(saved: unknown): ScaleGroups {
  const root = { value: saved, path: 'the saved scale groups' };
  const features = restoreFeatures(field(root, 'features'));
  return {
    groups: whole(field(root, 'groups')),
    features,
    tree: nullable(field(root, 'tree'), (tree) => restoreTrees(tree, features.length)),
  };
}

type Place = (node: SavedNode) => number;

function restorePart(node: SavedNode, place: Place): Part {
  const kind = oneOf(field(node, 'kind'), ['number', 'levels', 'leaves']);
  if (kind === 'number') return restoreNumber(node, place);
  return kind === 'levels' ? restoreLevels(node, place) : restoreLeaves(node, place);
}

const restoreNumber = (node: SavedNode, place: Place): NumberPart => ({
  kind: 'number',
  name: text(field(node, 'name')),
  scale: nullable(field(node, 'scale'), restoreScale),
  slope: place(field(node, 'slope')),
  missing: place(field(node, 'missing')),
  bend: nullable(field(node, 'bend'), restoreBend),
  bends: list(field(node, 'bends'), place),
});

const restoreScale = (node: SavedNode): NumberScale => ({
  unit: number(field(node, 'unit')),
  low: number(field(node, 'low')),
  high: number(field(node, 'high')),
  mean: number(field(node, 'mean')),
  sd: number(field(node, 'sd')),
});

const restoreBend = (node: SavedNode): Bend => ({
  knots: list(field(node, 'knots'), number),
  slopes: list(field(node, 'slopes'), number),
  offset: list(field(node, 'offset'), number),
  slope: list(field(node, 'slope'), number),
  norm: number(field(node, 'norm')),
});

const restoreLevels = (node: SavedNode, place: Place): LevelPart => ({
  kind: 'levels',
  name: text(field(node, 'name')),
  levels: list(field(node, 'levels'), text),
  places: list(field(node, 'places'), place),
  missing: place(field(node, 'missing')),
  unseen: {
    places: list(field(field(node, 'unseen'), 'places'), place),
    shares: list(field(field(node, 'unseen'), 'shares'), number),
  },
});

function restoreLeaves(node: SavedNode, place: Place): LeafPart {
  const features = restoreFeatures(field(node, 'features'));
  const trees = restoreTrees(field(node, 'trees'), features.length);
  return { kind: 'leaves', features, trees, places: list(field(node, 'places'), (tree) => list(tree, place)) };
}
