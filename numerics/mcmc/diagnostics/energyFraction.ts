/** E-BFMI (Betancourt 2016): the share of the energy's variance that one refreshment of the momentum moves. Below 0.3 is bad. */
import { variance } from './chains.ts';

/** Of one chain's energies, in order; NaN below 3 of them. */
export function energyFraction(energy: Float64Array): number {
  if (energy.length < 3) return Number.NaN;
  let moves = 0;
  for (let i = 1; i < energy.length; i++) moves += (energy[i]! - energy[i - 1]!) ** 2;
  return moves / (energy.length - 1) / variance(energy);
}
