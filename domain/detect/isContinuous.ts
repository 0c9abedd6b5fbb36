import type { Dress } from '../dress/dress.ts';
import { counted, listed, quoted, withCommas } from '../table/wording.ts';
import { type ColumnFacts, example, type Question, shown } from './columnFacts.ts';

/** Numbers with few values may be something else. */
const FEW = 10;

/** Quantities and counts: the cells are numbers, and no earlier question was answered with yes. */
export const isContinuous: Question = (facts) => {
  if (!facts.isNumber || !facts.numbers) return undefined;
  const { format } = facts.numbers;
  const written = format.integer ? 'whole numbers' : `numbers with up to ${counted(format.decimals, 'decimal')}`;
  const strays = facts.present - facts.numbers.count;
  return {
    kind: 'continuous',
    confidence: strays > 0 ? 0.8 : facts.distinct <= FEW ? 0.7 : 0.95,
    evidence: [
      `${written} from ${format.min} to ${format.max}${example(facts)}`,
      ...dressOf(facts.dress),
      ...strayCells(facts, strays),
    ],
  };
};

/** What is around the digits, in words. */
function dressOf(dress: Dress | null): string[] {
  if (dress?.kind !== 'decorated') return [];
  const { prefix, suffix, thousands, decimal, negative, percent, width, plus, format } = dress;
  const parts = [
    ...(prefix === '' ? [] : [`${quoted(prefix)} before them`]),
    ...(suffix === '' ? [] : [`${quoted(suffix)} behind them${percent ? ', read as percent' : ''}`]),
    ...(thousands === '' ? [] : [`${quoted(thousands)} between groups of three digits`]),
    ...(decimal === ',' && format.decimals > 0 ? ['a decimal comma'] : []),
    ...(width === 0 ? [] : [`${width} digits each, with leading zeros`]),
    ...(negative === 'parentheses' ? ['parentheses for less than zero'] : []),
    ...(negative === 'trailing' ? ['a minus behind numbers below zero'] : []),
    ...(plus ? ['a plus before numbers above zero'] : []),
  ];
  return parts.length > 0 ? [`written with ${listed(parts)}`] : [];
}

function strayCells(facts: ColumnFacts, count: number): string[] {
  if (count === 0) return [];
  return [`${withCommas(count)} of the cells are no numbers, such as ${listed(facts.strays.slice(0, 3).map(shown))}`];
}
