import type { PairFamily } from '../pairCopula.ts';

/** C(u, v) = u v. */
export const independence: PairFamily = {
  name: 'independence',
  bounds: [],
  rotations: [0],
  tail: 'none',
  make: () => ({
    logDensity: () => 0,
    cdf: (u, v) => u * v,
    h: (_u, v) => v,
    inverseH: (_u, p) => p,
    tau: () => 0,
    tailDependence: () => [0, 0],
  }),
  fromTau: () => [],
};
