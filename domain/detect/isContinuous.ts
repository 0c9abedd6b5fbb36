import { counted, listed, quoted, withCommas } from '../table/wording.ts';
import type { ColumnFacts, Question } from './columnFacts.ts';
import { isNumeric } from './isNumeric.ts';

/** Numbers with few values may be something else. */
const FEW = 10;

/** Quantities and counts: the cells are numbers, and no earlier question was answered with yes. */
export const isContinuous: Question = (facts) => {
  if (!isNumeric(facts.numbers, facts.present) || !facts.numbers) return undefined;
  const { format } = facts.numbers;
  const written = format.integer ? 'whole numbers' : `numbers with up to ${counted(format.decimals, 'decimal')}`;
  const strays = facts.present - facts.numbers.count;
  return {
    kind: 'continuous',
    confidence: strays > 0 ? 0.8 : facts.distinct <= FEW ? 0.7 : 0.95,
    evidence: [`${written} from ${format.min} to ${format.max}`, ...strayCells(facts, strays)],
  };
};

function strayCells(facts: ColumnFacts, count: number): string[] {
  if (count === 0) return [];
  return [`${withCommas(count)} of the cells are no numbers, such as ${listed(facts.strays.slice(0, 3).map(quoted))}`];
}
