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
  for (const logit of logits) if (logit > most) most = logit;
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

/** END where all probabilities are zero. */
function drawFromNucleus(probabilities: Float64Array, nucleus: number, random: RandomStream): number {
  let [total, most] = [0, 0];
  for (const p of probabilities) {
    total += p;
    if (p > most) most = p;
  }
  if (most === 0) return END;
  let candidates: number[] = [];
  for (const floor of [most * SMALL, 0]) {
    candidates = [];
    let sum = 0;
    for (let k = 0; k < probabilities.length; k++) {
      if (probabilities[k]! <= floor) continue;
      candidates.push(k);
      sum += probabilities[k]!;
    }
    if (sum >= nucleus * total) break;
  }
  candidates.sort((a, b) => probabilities[b]! - probabilities[a]! || a - b);
  let inside = 0;
  let mass = 0;
  while (inside < candidates.length && mass < nucleus * total) mass += probabilities[candidates[inside++]!]!;
  let place = random.uniform() * mass;
  for (let k = 0; k < inside; k++) {
    place -= probabilities[candidates[k]!]!;
    if (place < 0) return candidates[k]!;
  }
  return candidates[inside - 1]!;
}
