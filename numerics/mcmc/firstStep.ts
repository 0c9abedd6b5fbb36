/** The step size that a chain begins with (Hoffman and Gelman 2014, algorithm 4, in Stan's form). */
import type { RandomStream } from '../random/stream.ts';
import { copyPoint, createPoint, energyOf, type Frame, type Integrator, type PhasePoint } from './hamiltonian.ts';
import type { LogDensity } from './logDensity.ts';

/** Doublings or halvings of 1: steps from 1e-15 to 1e15. */
const TRIES = 50;

/**
 * Doubles or halves `guess` until the acceptance of one step from `start` crosses `target`; not above `longest`. Each try
 * has a momentum of its own.
 */
export function firstStep(
  density: LogDensity,
  frame: Frame,
  integrator: Integrator,
  start: PhasePoint,
  random: RandomStream,
  { target, guess, longest }: { target: number; guess: number; longest: number },
): number {
  const point = createPoint(density.dimension);
  const logTarget = Math.log(target);
  const accepts = (step: number): boolean => {
    copyPoint(start, point);
    for (let i = 0; i < point.momentum.length; i++) {
      point.momentum[i] = random.normal() / Math.sqrt(frame.variance[i]!);
    }
    const before = energyOf(frame, point);
    return before - integrator(density, frame, point, step) > logTarget;
  };
  let step = Math.min(guess, longest);
  const up = accepts(step);
  for (let i = 0; i < TRIES; i++) {
    const next = up ? step * 2 : step / 2;
    if (next >= longest) return longest;
    step = next;
    if (accepts(step) !== up) break;
  }
  return step;
}
