/** Nagler, Bumann and Czado (2019): the modified BIC of vines, which expects fewer dependent pairs in later trees. */
import type { GrownEdge } from './growVine.ts';

/** mBICV of tree t (from 0) less that of the same tree all independent. Below 0: the tree is worth having. */
export function treeGain(edges: readonly GrownEdge[], tree: number, rows: number, psi0: number): number {
  const dependence = psi0 ** (tree + 1);
  let sum = 0;
  for (const { pair, logLikelihood } of edges) {
    if (pair.family === 'independence') continue;
    sum += -2 * logLikelihood + Math.log(rows) * pair.parameterCount - 2 * Math.log(dependence / (1 - dependence));
  }
  return sum;
}
