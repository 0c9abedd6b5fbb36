/** A pair copula of a family's unrotated copula: turned counterclockwise, with exact edges and array forms. */
import { batchOf } from './batch.ts';
import type { PairCopula, Rotation } from './pairCopula.ts';
import { type BaseCopula, offEdge } from './pairFamily.ts';

const clampUnit = (p: number): number => (p > 0 ? Math.min(p, 1) : 0);

/** 90°: (1-U, V) has the base's distribution; 180°: (1-U, 1-V); 270°: (U, 1-V). */
export function rotate(
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
