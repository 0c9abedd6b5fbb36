import { independence, type PairCopula, type SavedGrid } from './pairCopula.ts';
import { gridCopula } from './tll/gridCopula.ts';

/** Throws a RangeError for an unknown family or an invalid grid. */
export function restorePair({ family, grid }: { family: string; grid?: SavedGrid }): PairCopula {
  if (family === 'independence') return independence;
  if (family !== 'tll') throw new RangeError(`there is no pair copula '${family}': pairs are tll or independence`);
  if (grid === undefined) throw new RangeError('a saved tll copula needs its grid, and there is none');
  return gridCopula(grid.size, Float64Array.from(grid.values), grid.parameterCount);
}
