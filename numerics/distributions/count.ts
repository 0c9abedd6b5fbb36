/** Families of counts that can be cut at zero: what a cut or extra zeros need beside the distribution itself. */
import type { RandomStream } from '../random/stream.ts';
import type { ResponseFamily } from './family.ts';

export interface CountFamily extends ResponseFamily {
  /** log P(Y > 0), precise however rare; writes its derivatives by `eta` into `gradient`. */
  logNonzero(eta: Float64Array, gradient: Float64Array): number;
  /** P(Y > y | Y > 0) for y ≥ 0, precise where it is small (to 1e-7 where counts are wilder than any data). */
  tailNonzero(y: number, eta: Float64Array): number;
  /** A draw given that it is not 0. */
  drawNonzero(eta: Float64Array, random: RandomStream): number;
}
