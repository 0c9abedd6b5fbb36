/** Share of training rows among the highest scores, which shows leaks of few people. */
import type { MeasuredFigure } from '../../../contract/measuredFigure.ts';
import { lgamma } from '../../../numerics/special/gamma.ts';
import { wilson } from '../intervals.ts';
import { toMeasured } from '../measured.ts';

/** Smallest group looked at; fewer rows would be no evidence. */
const FEWEST = 10;

interface Top {
  persons: number;
  members: number;
  /** Probability under chance. */
  chance: number;
}

/**
 * Reports the least likely group size.
 * @param level error rate over all sizes.
 */
export function highestFigure(
  members: Float64Array,
  others: Float64Array,
  level: number,
  reason: string,
): MeasuredFigure {
  const tops = topsOf(members, others);
  const [worst] = tops.toSorted((a, b) => a.chance - b.chance);
  if (!worst) return toMeasured({ value: undefined, rows: members.length + others.length, reason });
  return toMeasured({
    value: worst.members / worst.persons,
    interval: wilson(worst.members, worst.persons),
    rows: worst.persons,
    ideal: members.length / (members.length + others.length),
    verdict: worst.chance < level / tops.length ? 'worse' : 'as good',
  });
}

/** Keeps ties together. */
function topsOf(members: Float64Array, others: Float64Array): Top[] {
  const [ours, theirs] = [members.toSorted().reverse(), others.toSorted().reverse()];
  const all = ours.length + theirs.length;
  const tops: Top[] = [];
  let [mine, rest] = [0, 0];
  for (let sought = FEWEST; sought <= all / 2; sought *= 2) {
    while (mine + rest < sought) {
      const score = Math.max(ours[mine] ?? Number.NEGATIVE_INFINITY, theirs[rest] ?? Number.NEGATIVE_INFINITY);
      while (mine < ours.length && ours[mine] === score) mine++;
      while (rest < theirs.length && theirs[rest] === score) rest++;
    }
    const persons = mine + rest;
    if (persons > all / 2 || persons === tops.at(-1)?.persons) continue;
    tops.push({ persons, members: mine, chance: hypergeometricTail(mine, persons, ours.length, all) });
  }
  return tops;
}

/** Probability of at least `hits` of `marked` among `drawn` of `all`. */
export function hypergeometricTail(hits: number, drawn: number, marked: number, all: number): number {
  const whole = logChoose(all, drawn);
  let sum = 0;
  for (let x = hits; x <= Math.min(drawn, marked); x++) {
    sum += Math.exp(logChoose(marked, x) + logChoose(all - marked, drawn - x) - whole);
  }
  return Math.min(1, sum);
}

const logChoose = (n: number, k: number): number =>
  k < 0 || k > n ? Number.NEGATIVE_INFINITY : lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
