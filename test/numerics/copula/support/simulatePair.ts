/** Draws from a pair copula. */

import type { PairCopula } from '../../../../packages/numerics/copula/pairCopula.ts';
import type { RandomStream } from '../../../../packages/numerics/random/stream.ts';

/** n draws of (U, V): U uniform, V by the inverse of h₁. Two uniforms a draw. */
export function simulatePair(pair: PairCopula, n: number, random: RandomStream): { u: Float64Array; v: Float64Array } {
  const u = new Float64Array(n);
  const v = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    u[i] = random.uniform();
    v[i] = random.uniform();
  }
  pair.inverseH1Into(u, v, v);
  return { u, v };
}
