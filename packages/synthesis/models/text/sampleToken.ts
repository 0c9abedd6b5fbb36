/** Draws the next token: END by its own probability, any other from the nucleus (Holtzman et al., 2020) of the rest. */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { END } from './tokens/vocabulary.ts';

export interface Sampling {
  temperature: number;
  /** Share of probability from which tokens are drawn, the most probable first. */
  nucleus: number;
}

/** `mayFollow` says of a token whether it may stand here; END where no token may. Changes the probabilities. */
export function sampleToken(
  probabilities: Float32Array,
  nucleus: number,
  random: RandomStream,
  mayFollow: (token: number) => boolean,
): number {
  if (mayFollow(END) && random.uniform() < probabilities[END]!) return END;
  probabilities[END] = 0;
  for (;;) {
    const token = drawFromNucleus(probabilities, nucleus, random);
    if (token === END || mayFollow(token)) return token;
    probabilities[token] = 0;
  }
}

/** A float's exponent and the first three bits of its mantissa number the bucket of probabilities that it falls into. */
const BUCKET_SHIFT = 20;
/** Up to the one that begins with 1. */
const BUCKETS = 1 + (0x3f800000 >>> BUCKET_SHIFT);
const masses = new Float64Array(BUCKETS);

/**
 * END where all probabilities are zero. Tokens are drawn from all and refused outside of the nucleus: that takes a pass and
 * a half over the pieces, where to sort thousands of them for each token takes longer than the network does.
 */
function drawFromNucleus(probabilities: Float32Array, nucleus: number, random: RandomStream): number {
  const bits = new Uint32Array(probabilities.buffer, probabilities.byteOffset, probabilities.length);
  masses.fill(0);
  let total = 0;
  for (let k = 0; k < bits.length; k++) {
    const p = probabilities[k]!;
    masses[bits[k]! >>> BUCKET_SHIFT]! += p;
    total += p;
  }
  if (total === 0) return END;
  const wanted = nucleus * total;
  let [last, above] = [BUCKETS - 1, 0];
  while (last > 0 && above + masses[last]! < wanted) above += masses[last--]!;
  for (;;) {
    const token = drawFrom(probabilities, random.uniform() * total);
    const bucket = bits[token]! >>> BUCKET_SHIFT;
    if (bucket > last) return token;
    if (bucket === last && above + massBefore(probabilities, bits, token) < wanted) return token;
  }
}

/** The token in whose share of all probability a place lies. */
function drawFrom(probabilities: Float32Array, place: number): number {
  let [rest, last] = [place, END];
  for (let k = 0; k < probabilities.length; k++) {
    const p = probabilities[k]!;
    rest -= p;
    if (p > 0) last = k;
    if (rest < 0) break;
  }
  return last;
}

/** Mass of the tokens of a token's bucket that come before it: the more probable, and of those alike the earlier. */
function massBefore(probabilities: Float32Array, bits: Uint32Array, token: number): number {
  const own = probabilities[token]!;
  const bucket = bits[token]! >>> BUCKET_SHIFT;
  let mass = 0;
  for (let k = 0; k < bits.length; k++) {
    if (bits[k]! >>> BUCKET_SHIFT !== bucket) continue;
    const p = probabilities[k]!;
    if (p > own || (p === own && k < token)) mass += p;
  }
  return mass;
}
