/** The machine that a job would run on: how many cores it has, and how fast one is. Time follows from both, results from neither. */
import { availableParallelism } from 'node:os';

export interface Machine {
  cores: number;
  /** Work that a core does in a second, the one that the constants were measured on as 1. */
  speed: number;
}

/** Where the constants were measured, and what is said of a machine that is rented later. */
export const REFERENCE_MACHINE: Machine = { cores: 2, speed: 1 };

/** Milliseconds of `work` on an idle core of the machine that the constants were measured on. */
const REFERENCE_MS = 0.4;
/** The part of a difference that jobs have too, in logarithms: a burst on one core is faster than minutes on all of them. */
const JOBS_SHARE = 0.5;
/** In all, or so many tries; a try is short, so that one of them falls between what else the core is given to do. */
const BUDGET_MS = 60;
const FEWEST_TRIES = 8;
/** A clock that is too coarse, or stands still, does not make a machine a thousand times as fast. */
const SLOWEST = 0.2;
const FASTEST = 5;

let found: Machine | undefined;

/** Measured when it is first asked for, and the same from then on: a request has one answer. */
export function thisMachine(): Machine {
  found ??= { cores: availableParallelism(), speed: measureSpeed() };
  return found;
}

/** By the fastest of some tries. Two digits: the rest is chance. */
function measureSpeed(): number {
  const end = performance.now() + BUDGET_MS;
  let [least, total] = [Number.POSITIVE_INFINITY, 0];
  for (let [now, tries] = [performance.now(), 0]; now < end || tries < FEWEST_TRIES; tries++) {
    total += work();
    const after = performance.now();
    [least, now] = [Math.min(least, after - now), after];
  }
  const speed = Number.isFinite(total) ? (REFERENCE_MS / least) ** JOBS_SHARE : 1;
  return Number(Math.min(FASTEST, Math.max(SLOWEST, speed)).toPrecision(2));
}

const values = new Float64Array(4096);

/** What regressions do most: sums of products, and a function of each. */
function work(): number {
  for (let i = 0; i < values.length; i++) values[i] = Math.log1p(Math.exp(-(i % 61) / 8));
  let sum = 0;
  for (let round = 0; round < 100; round++)
    for (let i = 0; i < values.length; i++) sum += (values[i] ?? 0) * (values[(i + round) & 4095] ?? 0);
  return sum;
}
