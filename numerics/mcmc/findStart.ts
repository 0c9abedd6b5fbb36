/** Where a chain begins: at random, and where the density is finite. */
import type { RandomStream } from '../random/stream.ts';
import type { PhasePoint } from './hamiltonian.ts';
import type { LogDensity } from './logDensity.ts';

/** Half the width of the cube of starts, as in Stan. */
const RADIUS = 2;
const TRIES = 100;
/** After so many tries the cube is halved. */
const TRIES_A_RADIUS = 10;

/** Thrown where no start with a finite log density and gradient was found. */
export class NoStartError extends Error {
  override readonly name = 'NoStartError';
  readonly tries: number;

  constructor(tries: number) {
    super(
      `The log density or its gradient is not finite at any of ${tries} starts. Look for values in the data that overflow, ` +
        'such as 1e300, or for a family that cannot hold them.',
    );
    this.tries = tries;
  }
}

/** Fills position, gradient and log density of `point`, uniform on the cube around `centre`. Throws NoStartError. */
export function findStart(density: LogDensity, centre: Float64Array, random: RandomStream, point: PhasePoint): void {
  const { position, gradient } = point;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const radius = RADIUS / 2 ** Math.floor(attempt / TRIES_A_RADIUS);
    for (let i = 0; i < position.length; i++) position[i] = centre[i]! + radius * (2 * random.uniform() - 1);
    point.logDensity = density.evaluate(position, gradient);
    if (Number.isFinite(point.logDensity) && gradient.every(Number.isFinite)) return;
  }
  throw new NoStartError(TRIES);
}
