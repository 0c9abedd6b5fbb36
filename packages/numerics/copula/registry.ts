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
import {
  type BaseCopula,
  batchOf,
  offEdge,
  type PairCopula,
  type PairFamily,
  type Rotation,
  type SavedPair,
} from './pairCopula.ts';
import { gridCopula } from './tll/gridCopula.ts';

/** The parametric families. A new one is a line here. */
export const PAIR_FAMILIES = {
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
} as const satisfies Record<string, PairFamily>;

export type FamilyId = keyof typeof PAIR_FAMILIES;

export const isFamilyId = (name: string): name is FamilyId => Object.hasOwn(PAIR_FAMILIES, name);

/**
 * A copula of a parametric family. Throws RangeError for an unknown family, a rotation it does not have, or parameters
 * outside its bounds.
 */
export function makePair(name: string, rotation: Rotation, parameters: readonly number[]): PairCopula {
  if (!isFamilyId(name)) {
    throw new RangeError(`there is no pair copula '${name}': choose one of ${Object.keys(PAIR_FAMILIES).join(', ')}`);
  }
  const family: PairFamily = PAIR_FAMILIES[name];
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

// A pair copula of a family's unrotated copula: turned counterclockwise, with exact edges and array forms.

const clampUnit = (p: number): number => (p > 0 ? Math.min(p, 1) : 0);

/** 90°: (1-U, V) has the base's distribution; 180°: (1-U, 1-V); 270°: (U, 1-V). */
function rotate(
  family: string,
  rotation: Rotation,
  parameters: readonly number[],
  parameterCount: number,
  base: BaseCopula,
): PairCopula {
  const flipU = rotation === 90 || rotation === 180;
  const flipV = rotation === 180 || rotation === 270;
  const scalar = {
    logDensity: (u: number, v: number) => base.logDensity(offEdge(flipU ? 1 - u : u), offEdge(flipV ? 1 - v : v)),
    h1: (u: number, v: number) => conditional(base, u, v, flipU, flipV),
    h2: (u: number, v: number) => conditional(base, v, u, flipV, flipU),
    inverseH1: (u: number, p: number) => inverseConditional(base, u, p, flipU, flipV),
    inverseH2: (p: number, v: number) => inverseConditional(base, v, p, flipV, flipU),
  };
  const sign = flipU === flipV ? 1 : -1;
  return {
    family,
    rotation,
    parameterCount,
    ...scalar,
    ...batchOf(scalar),
    cdf: (u, v) => rotatedCdf(base, u, v, flipU, flipV),
    tau: () => sign * base.tau(),
    tailDependence: () => rotatedTails(base.tailDependence(), flipU, flipV),
    save: () => ({ family, rotation, parameters: [...parameters] }),
  };
}

/** P(target ≤ p-value | given): the base's h with either argument counted from 1 downwards. */
function conditional(base: BaseCopula, given: number, target: number, flipGiven: boolean, flipTarget: boolean): number {
  if (target <= 0) return 0;
  if (target >= 1) return 1;
  const h = clampUnit(base.h(offEdge(flipGiven ? 1 - given : given), offEdge(flipTarget ? 1 - target : target)));
  return flipTarget ? 1 - h : h;
}

function inverseConditional(base: BaseCopula, given: number, p: number, flipGiven: boolean, flipTarget: boolean) {
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  const target = clampUnit(base.inverseH(offEdge(flipGiven ? 1 - given : given), flipTarget ? 1 - p : p));
  return flipTarget ? 1 - target : target;
}

function rotatedCdf(base: BaseCopula, u: number, v: number, flipU: boolean, flipV: boolean): number {
  if (u <= 0 || v <= 0) return 0;
  if (u >= 1) return Math.min(v, 1);
  if (v >= 1) return u;
  const inner = base.cdf(offEdge(flipU ? 1 - u : u), offEdge(flipV ? 1 - v : v));
  const turned = flipU && flipV ? u + v - 1 + inner : flipU ? v - inner : flipV ? u - inner : inner;
  return Math.min(Math.max(turned, 0, u + v - 1), u, v);
}

/** Only main-diagonal corners count as tails: a quarter turn leaves none. */
function rotatedTails(tails: [number, number], flipU: boolean, flipV: boolean): [number, number] {
  if (flipU !== flipV) return [0, 0];
  return flipU ? [tails[1], tails[0]] : tails;
}
