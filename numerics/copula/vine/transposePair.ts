/** The copula of (V, U). */
import type { PairCopula, SavedPair } from '../pairCopula.ts';
import { restorePair } from '../registry.ts';

/** Families are exchangeable before they are turned, so that only quarter turns and grids change. */
export function transposePair(pair: PairCopula): PairCopula {
  const saved = pair.save();
  if (saved.grid === undefined && saved.rotation !== 90 && saved.rotation !== 270) return pair;
  return restorePair(saved.grid === undefined ? { ...saved, rotation: saved.rotation === 90 ? 270 : 90 } : turn(saved));
}

function turn(saved: SavedPair): SavedPair {
  const { size, values, parameterCount } = saved.grid!;
  const turned = values.map((_, at) => values[(at % size) * size + Math.floor(at / size)]!);
  return { ...saved, grid: { size, values: turned, parameterCount } };
}
