/**
 * One number a class, so that levels of a feature can be ordered by their mean score where the target has more than two
 * classes: the first principal component of the levels' class shares (Coppersmith, Hong and Hosking, 1999).
 */
import type { CategoryFeature } from './features.ts';

const POWER_STEPS = 30;

/**
 * K scores from the classes (0 … K-1) of n rows. Rows whose code is no level are left out. With no difference between
 * levels every score is 0.
 */
export function classScores(feature: CategoryFeature, classes: Int32Array, kinds: number): Float64Array {
  const deviations = shareDeviations(feature, classes, kinds);
  let scores: Float64Array = longestOf(deviations, kinds);
  for (let step = 0; step < POWER_STEPS; step++) {
    const next = new Float64Array(kinds);
    for (const { deviation, weight } of deviations) {
      let dot = 0;
      for (let k = 0; k < kinds; k++) dot += deviation[k]! * scores[k]!;
      for (let k = 0; k < kinds; k++) next[k]! += weight * dot * deviation[k]!;
    }
    const length = Math.hypot(...next);
    if (!(length > 0)) return new Float64Array(kinds);
    scores = next.map((value) => value / length);
  }
  return scores;
}

interface LevelDeviation {
  /** Rows of the level. */
  weight: number;
  /** Class shares of the level less those of all rows, K. */
  deviation: Float64Array;
}

function shareDeviations(feature: CategoryFeature, classes: Int32Array, kinds: number): LevelDeviation[] {
  const counts = new Map<number, Float64Array>();
  const margin = new Float64Array(kinds);
  let total = 0;
  for (let row = 0; row < classes.length; row++) {
    const code = feature.codes[row]!;
    if (code < 0 || code >= feature.levels) continue;
    let own = counts.get(code);
    if (!own) {
      own = new Float64Array(kinds);
      counts.set(code, own);
    }
    own[classes[row]!]!++;
    margin[classes[row]!]!++;
    total++;
  }
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([, own]) => {
      const weight = own.reduce((sum, count) => sum + count, 0);
      return { weight, deviation: own.map((count, k) => count / weight - margin[k]! / total) };
    });
}

/** The deviation that counts most: where the power iteration begins. */
function longestOf(rows: readonly LevelDeviation[], kinds: number): Float64Array {
  let best: Float64Array = new Float64Array(kinds);
  let longest = 0;
  for (const { weight, deviation } of rows) {
    const length = weight * deviation.reduce((sum, value) => sum + value * value, 0);
    if (length <= longest) continue;
    longest = length;
    best = deviation;
  }
  return best;
}
