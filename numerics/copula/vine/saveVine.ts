/** A vine as plain JSON, and back. */
import { field, list, number, oneOf, type SavedNode, text, whole } from '../../regression/design/savedNode.ts';
import type { PairCopula, SavedPair } from '../pairCopula.ts';
import { restorePair } from '../registry.ts';
import { checkStructure } from './checkStructure.ts';
import type { SavedVine, Vine, VineFit } from './vine.ts';

export const saveVine = ({ structure, pairs, fit }: Vine): SavedVine => ({
  order: [...structure.order],
  array: structure.array.map((row) => [...row]),
  pairs: pairs.map((tree) => tree.map((pair) => pair.save())),
  fit: { ...fit },
});

/** The vine that was saved: it simulates the same bytes. Throws RangeError, saying where, for what is no vine. */
export function restoreVine(saved: unknown): Vine {
  const root = { value: saved, path: 'the saved vine' };
  const structure = {
    order: list(field(root, 'order'), whole),
    array: list(field(root, 'array'), (row) => list(row, whole)),
  };
  checkStructure(structure, structure.order.length);
  const pairs = list(field(root, 'pairs'), (tree) => list(tree, readPair));
  const sizes = structure.array.map((row) => row.length);
  if (pairs.length !== sizes.length || pairs.some((tree, t) => tree.length !== sizes[t])) {
    throw new RangeError(
      `the saved vine has ${pairs.flat().length} pair copulas, and its trees have ${sizes.join(' + ')} edges`,
    );
  }
  return { structure, pairs, fit: readFit(field(root, 'fit')) };
}

function readPair(node: SavedNode): PairCopula {
  const family = text(field(node, 'family'));
  const pair: SavedPair = {
    family,
    rotation: oneOfRotations(field(node, 'rotation')),
    parameters: list(field(node, 'parameters'), number),
  };
  return restorePair(family === 'tll' ? { ...pair, grid: readGrid(field(node, 'grid')) } : pair);
}

const readGrid = (node: SavedNode): NonNullable<SavedPair['grid']> => ({
  size: whole(field(node, 'size')),
  values: list(field(node, 'values'), number),
  parameterCount: number(field(node, 'parameterCount')),
});

const ROTATIONS = { '0': 0, '90': 90, '180': 180, '270': 270 } as const;

const oneOfRotations = ({ value, path }: SavedNode): SavedPair['rotation'] =>
  ROTATIONS[oneOf({ value: String(value), path }, ['0', '90', '180', '270'])];

const readFit = (node: SavedNode): VineFit => ({
  rows: whole(field(node, 'rows')),
  structureRows: whole(field(node, 'structureRows')),
  logLikelihood: number(field(node, 'logLikelihood')),
  parameterCount: number(field(node, 'parameterCount')),
  threshold: number(field(node, 'threshold')),
});
