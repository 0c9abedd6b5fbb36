/** All pair copulas by name: how one is made, and made again from what was saved. */
import { bb1 } from './families/bb1.ts';
import { bb6 } from './families/bb6.ts';
import { bb7 } from './families/bb7.ts';
import { bb8 } from './families/bb8.ts';
import { clayton } from './families/clayton.ts';
import { frank } from './families/frank.ts';
import { gaussian } from './families/gaussian.ts';
import { gumbel } from './families/gumbel.ts';
import { independence } from './families/independence.ts';
import { joe } from './families/joe.ts';
import { student } from './families/student.ts';
import type { PairCopula, Rotation, SavedPair } from './pairCopula.ts';
import type { FamilyId, PairFamily } from './pairFamily.ts';
import { rotate } from './rotate.ts';
import { gridCopula } from './tll/gridCopula.ts';

/** The parametric families. */
export const PAIR_FAMILIES: Readonly<Record<FamilyId, PairFamily>> = {
  independence,
  gaussian,
  student,
  clayton,
  gumbel,
  frank,
  joe,
  bb1,
  bb6,
  bb7,
  bb8,
};

export const isFamilyId = (name: string): name is FamilyId => Object.hasOwn(PAIR_FAMILIES, name);

/**
 * A copula of a parametric family. Throws RangeError for an unknown family, a rotation it does not have, or parameters
 * outside its bounds.
 */
export function makePair(name: string, rotation: Rotation, parameters: readonly number[]): PairCopula {
  if (!isFamilyId(name)) {
    throw new RangeError(`there is no pair copula '${name}': choose one of ${Object.keys(PAIR_FAMILIES).join(', ')}`);
  }
  const family = PAIR_FAMILIES[name];
  if (!family.rotations.includes(rotation)) {
    throw new RangeError(`${name} has the rotations ${family.rotations.join(', ')}, not ${rotation}`);
  }
  if (parameters.length !== family.bounds.length) {
    throw new RangeError(`${name} has ${family.bounds.length} parameters, not ${parameters.length}`);
  }
  family.bounds.forEach(([low, high], k) => {
    const value = parameters[k]!;
    if (!(value >= low && value <= high)) {
      throw new RangeError(`parameter ${k + 1} of ${name} lies in ${low} … ${high}, not at ${value}`);
    }
  });
  return rotate(name, rotation, parameters, parameters.length, family.make(parameters));
}

/** The copula that was saved. Throws as `makePair` does, and for a grid of the wrong size. */
export function restorePair(saved: SavedPair): PairCopula {
  if (saved.family !== 'tll') return makePair(saved.family, saved.rotation, saved.parameters);
  if (saved.grid === undefined) throw new RangeError('a saved tll copula needs its grid, and there is none');
  const { size, values, parameterCount } = saved.grid;
  return gridCopula(size, Float64Array.from(values), parameterCount);
}
