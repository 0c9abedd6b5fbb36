/** Speed affects estimated times, never results. */
import { availableParallelism } from 'node:os';

export interface Machine {
  cores: number;
  /** Relative to the reference machine. */
  speed: number;
}

/** The machine on which costs were measured, also assumed for rented ones. */
export const REFERENCE_MACHINE: Machine = { cores: 2, speed: 1 };

/** Milliseconds of `work` on the reference machine. */
const REFERENCE_MS = 0.4;
/** Exponent of the speed ratio, as bursts on one core gain more than jobs. */
const JOBS_SHARE = 0.5;
/** Short tries fit between other work of the core. */
const BUDGET_MS = 60;
const FEWEST_TRIES = 8;
/** Bounds against coarse or stopped clocks. */
const SLOWEST = 0.2;
const FASTEST = 5;

let found: Machine | undefined;

/** Measured once, so that estimates agree. */
export function thisMachine(): Machine {
  found ??= { cores: availableParallelism(), speed: measureSpeed() };
  return found;
}

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

/** Mimics regressions. */
function work(): number {
  for (let i = 0; i < values.length; i++) values[i] = Math.log1p(Math.exp(-(i % 61) / 8));
  let sum = 0;
  for (let round = 0; round < 100; round++)
    for (let i = 0; i < values.length; i++) sum += (values[i] ?? 0) * (values[(i + round) & 4095] ?? 0);
  return sum;
}
