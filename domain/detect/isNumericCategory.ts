import { listed, withCommas } from '../table/wording.ts';
import type { ColumnFacts, Question } from './columnFacts.ts';
import { isNumeric } from './isNumeric.ts';

/** Codes of a category, at most. */
const MOST_CODES = 10;
/** Cells for each distinct number, at least: in a handful of rows every number looks like a code. */
const LEAST_REPEATS = 5;

/** Numbers that are names of categories: two values; 1, 2 … k; leading zeros. Counts from 0 on are none. */
export const isNumericCategory: Question = (facts) => {
  if (!isNumeric(facts.numbers, facts.present) || facts.numbers?.count !== facts.present) return undefined;
  const { distinct, present } = facts;
  if (facts.leadingZeros > 0) {
    return {
      kind: 'categorical',
      confidence: 0.8,
      evidence: ['numbers written with leading zeros, which quantities have not'],
    };
  }
  if (distinct > MOST_CODES || present < LEAST_REPEATS * distinct) return undefined;
  const values = listed(facts.top_levels.map(([level]) => level).sort((a, b) => Number(a) - Number(b)));
  if (distinct === 1) return { kind: 'categorical', confidence: 0.9, evidence: [`every cell is ${values}`] };
  if (distinct === 2) return { kind: 'categorical', confidence: 0.9, evidence: [`two numbers only: ${values}`] };
  if (!isCodeSeries(facts)) return undefined;
  const evidence = `the ${distinct} whole numbers ${values} in ${withCommas(present)} cells, as codes have`;
  return { kind: 'categorical', confidence: 0.75, evidence: [evidence] };
};

/** 1, 2 … k without a gap; or 0, 1 … k where the frequencies do not fall off as those of counts do. */
function isCodeSeries({ numbers, distinct, top_levels }: ColumnFacts): boolean {
  if (!numbers?.format.integer) return false;
  const { min, max } = numbers.format;
  if (max - min + 1 !== distinct) return false;
  return min === 1 || (min === 0 && !fallsOff(top_levels));
}

/** The frequencies never rise by more than chance after the most frequent number, which is 0 or 1. */
function fallsOff(levels: readonly (readonly [string, number])[]): boolean {
  const counts = levels.map(([text, count]) => ({ value: Number(text), count })).sort((a, b) => a.value - b.value);
  const mode = Number(levels[0]?.[0]);
  if (mode > 1) return false;
  return counts.every(({ value, count }, index) => {
    const before = counts[index - 1];
    return value <= mode || !before || count <= before.count + 3 * Math.sqrt(before.count + 1);
  });
}
