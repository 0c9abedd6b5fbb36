/**
 * Training rows among the persons who score highest: as many of them as held-out rows if the table tells of nobody. A leak
 * of a few people, which moves no mean, shows here.
 */
import type { MeasuredFigure } from '../../../contract/measuredFigure.ts';
import { lgamma } from '../../../numerics/special/gamma.ts';
import { wilson } from '../intervals.ts';
import { toMeasured } from '../measured.ts';

/** The fewest who are looked at: below, even training rows alone would be no evidence. Then twice as many, and so on. */
const FEWEST = 10;

interface Top {
  /** Persons looked at, and training rows among them. */
  persons: number;
  members: number;
  /** Probability of as many by chance. */
  chance: number;
}

/**
 * @param level probability of a wrong verdict of "worse", over all numbers of persons that are looked at.
 * The value is that of the number of persons that is least likely by chance.
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

/** Persons of equal score are taken together. */
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

/** Probability of `hits` or more marked ones among `drawn` of `all`, of whom `marked` are. */
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
