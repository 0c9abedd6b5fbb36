/** A vine as plain JSON, and back. */
import { restorePair } from '../registry.ts';
import { checkStructure } from './checkStructure.ts';
import type { SavedVine, Vine } from './vine.ts';

export const saveVine = ({ structure, pairs, fit }: Vine): SavedVine => ({
  order: [...structure.order],
  array: structure.array.map((row) => [...row]),
  pairs: pairs.map((tree) => tree.map((pair) => pair.save())),
  fit: { ...fit },
});

/** The vine that was saved: it simulates the same bytes. Throws RangeError where it is no vine. */
export function restoreVine({ order, array, pairs, fit }: SavedVine): Vine {
  checkStructure({ order, array }, order.length);
  if (pairs.length !== array.length || pairs.some((tree, t) => tree.length !== array[t]!.length)) {
    throw new RangeError('a saved vine has one pair copula for each edge of its trees, and this one has not');
  }
  return { structure: { order, array }, pairs: pairs.map((tree) => tree.map(restorePair)), fit };
}
