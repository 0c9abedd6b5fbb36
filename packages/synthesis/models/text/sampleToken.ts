/** Draws END by its own probability, and other tokens from the nucleus (Holtzman et al., 2020). */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { END } from './tokens/vocabulary.ts';

export interface Sampling {
  temperature: number;
  /** Share of probability to draw from. */
  nucleus: number;
}

/** Returns END if no token may follow. Changes the probabilities. */
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
    const others = nucleusOf(probabilities, nucleus).filter((one) => one !== token);
    probabilities[token] = 0;
    const other = drawAmong(others, probabilities, random, mayFollow);
    if (other !== undefined) return other;
  }
}

/** Undefined (and probabilities 0) if none may follow. */
function drawAmong(
  tokens: number[],
  probabilities: Float32Array,
  random: RandomStream,
  mayFollow: (token: number) => boolean,
): number | undefined {
  let left = tokens.reduce((sum, token) => sum + probabilities[token]!, 0);
  while (tokens.length > 0) {
    const at = placeOf(random.uniform() * left, tokens, probabilities);
    const token = tokens[at]!;
    if (mayFollow(token)) return token;
    left -= probabilities[token]!;
    probabilities[token] = 0;
    tokens.splice(at, 1);
  }
  return undefined;
}

function placeOf(place: number, tokens: readonly number[], probabilities: Float32Array): number {
  let rest = place;
  for (let at = 0; at < tokens.length; at++) {
    rest -= probabilities[tokens[at]!]!;
    if (rest < 0) return at;
  }
  return tokens.length - 1;
}

/** Buckets by a float's exponent and three bits of its mantissa. */
const BUCKET_SHIFT = 20;
const BUCKETS = 1 + (0x3f800000 >>> BUCKET_SHIFT);
const masses = new Float64Array(BUCKETS);

/**
 * Rejects tokens outside the nucleus: sorting thousands would take longer than the network. Returns END if all are
 * zero.
 */
function drawFromNucleus(probabilities: Float32Array, nucleus: number, random: RandomStream): number {
  const bits = bitsOf(probabilities);
  const { total, wanted, last, above } = boundOf(probabilities, bits, nucleus);
  if (total === 0) return END;
  for (;;) {
    const token = drawFrom(probabilities, random.uniform() * total);
    const bucket = bits[token]! >>> BUCKET_SHIFT;
    if (bucket > last) return token;
    if (bucket === last && above + massBefore(probabilities, bits, token) < wanted) return token;
  }
}

const bitsOf = ({ buffer, byteOffset, length }: Float32Array): Uint32Array =>
  new Uint32Array(buffer, byteOffset, length);

function boundOf(probabilities: Float32Array, bits: Uint32Array, nucleus: number) {
  masses.fill(0);
  let total = 0;
  for (let k = 0; k < bits.length; k++) {
    const p = probabilities[k]!;
    masses[bits[k]! >>> BUCKET_SHIFT]! += p;
    total += p;
  }
  const wanted = nucleus * total;
  let [last, above] = [BUCKETS - 1, 0];
  while (last > 0 && above + masses[last]! < wanted) above += masses[last--]!;
  return { total, wanted, last, above };
}

/** Most probable first; ties by index. */
function nucleusOf(probabilities: Float32Array, nucleus: number): number[] {
  const bits = bitsOf(probabilities);
  const { wanted, last, above } = boundOf(probabilities, bits, nucleus);
  const tokens: number[] = [];
  for (let k = 0; k < bits.length; k++) {
    if (bits[k]! >>> BUCKET_SHIFT >= last && probabilities[k]! > 0) tokens.push(k);
  }
  tokens.sort((a, b) => probabilities[b]! - probabilities[a]! || a - b);
  let mass = above;
  return tokens.filter((k) => {
    if (bits[k]! >>> BUCKET_SHIFT > last) return true;
    const before = mass;
    mass += probabilities[k]!;
    return before < wanted;
  });
}

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
