/** Draws the next token: END by its own probability, any other from the nucleus (Holtzman et al., 2020) of the rest. */
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { END } from './tokens/vocabulary.ts';

export interface Sampling {
  temperature: number;
  /** Share of probability from which tokens are drawn, the most probable first. */
  nucleus: number;
}

/** exp((logits - most) / temperature), summing to one, of one row of logits. */
export function toProbabilities(logits: Float32Array, temperature: number): Float64Array {
  let most = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < logits.length; k++) if (logits[k]! > most) most = logits[k]!;
  const out = new Float64Array(logits.length);
  let total = 0;
  for (let k = 0; k < out.length; k++) {
    out[k] = Math.exp((logits[k]! - most) / temperature);
    total += out[k]!;
  }
  for (let k = 0; k < out.length; k++) out[k]! /= total;
  return out;
}

/** `mayFollow` says of a token whether it may stand here; END where no token may. Changes the probabilities. */
export function sampleToken(
  probabilities: Float64Array,
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

/** Probabilities below this share of the largest are looked at only where the others do not fill the nucleus. */
const SMALL = 1e-3;

/** END where all probabilities are zero. Tokens as likely as the least likely of the nucleus are in it by their number. */
function drawFromNucleus(probabilities: Float64Array, nucleus: number, random: RandomStream): number {
  let [total, most] = [0, 0];
  for (let k = 0; k < probabilities.length; k++) {
    const p = probabilities[k]!;
    total += p;
    if (p > most) most = p;
  }
  if (most === 0) return END;
  const { least, above } = leastOfNucleus(probabilities, nucleus * total, most);
  let ties = Math.max(1, Math.ceil((nucleus * total - above) / least));
  let place = random.uniform() * Math.min(total, above + ties * least);
  let last = END;
  for (let k = 0; k < probabilities.length; k++) {
    const p = probabilities[k]!;
    if (p < least || (p === least && ties-- <= 0)) continue;
    last = k;
    place -= p;
    if (place < 0) break;
  }
  return last;
}

/**
 * The largest probability such that all from it on have the mass asked for, and the mass of those above it: by partition,
 * since to sort thousands of pieces for each token takes longer than the network does.
 */
function leastOfNucleus(probabilities: Float64Array, mass: number, most: number): { least: number; above: number } {
  const values = new Float64Array(probabilities.length);
  for (const floor of [most * SMALL, 0]) {
    let [count, sum] = [0, 0];
    for (let k = 0; k < probabilities.length; k++) {
      const p = probabilities[k]!;
      if (p <= floor) continue;
      values[count++] = p;
      sum += p;
    }
    if (sum >= mass || floor === 0) return partition(values.subarray(0, count), mass);
  }
  throw new RangeError('no probability is above zero');
}

function partition(values: Float64Array, mass: number): { least: number; above: number } {
  let rest = values;
  let above = 0;
  for (;;) {
    const pivot = middleOf(rest[0]!, rest[rest.length >> 1]!, rest[rest.length - 1]!);
    let [greater, less, sum, equal] = [0, 0, 0, 0];
    const lesser = new Float64Array(rest.length);
    for (let k = 0; k < rest.length; k++) {
      const value = rest[k]!;
      if (value > pivot) {
        rest[greater++] = value;
        sum += value;
      } else if (value < pivot) lesser[less++] = value;
      else equal += value;
    }
    if (greater > 0 && above + sum >= mass) rest = rest.subarray(0, greater);
    else if (less === 0 || above + sum + equal >= mass) return { least: pivot, above: above + sum };
    else {
      above += sum + equal;
      rest = lesser.subarray(0, less);
    }
  }
}

const middleOf = (a: number, b: number, c: number): number => Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
