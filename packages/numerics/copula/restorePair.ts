/** Makes pair copulas of what they saved. */
import { independence, type PairCopula, type SavedGrid } from './pairCopula.ts';
import { gridCopula } from './tll/gridCopula.ts';

/**
 * The copula that was saved. Throws RangeError for a family that is neither TLL nor independence, and for a TLL copula
 * without a grid of densities, size × size of them from 0 up.
 */
export function restorePair({ family, grid }: { family: string; grid?: SavedGrid }): PairCopula {
  if (family === 'independence') return independence;
  if (family !== 'tll') throw new RangeError(`there is no pair copula '${family}': pairs are tll or independence`);
  if (grid === undefined) throw new RangeError('a saved tll copula needs its grid, and there is none');
  return gridCopula(grid.size, Float64Array.from(grid.values), grid.parameterCount);
}
