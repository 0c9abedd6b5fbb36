import { type DressedNumber, takeApart } from '../dress/learnDecorated.ts';
import { isPrefix, isSuffix } from '../dress/units.ts';
import { listed, percent, quoted } from '../table/wording.ts';
import { type ColumnFacts, example, type Question } from './columnFacts.ts';

/** Share of the sampled cells that have to be numbers with a unit. */
const SHARE = 0.9;
const LEAST_CELLS = 4;
/** Distinct texts from which the column is no list of categories. */
const MOSTLY_DISTINCT = 0.5;
const FEW = 20;

/** Units that the cells have, "" among them, the most frequent first; none where they are not numbers with units. */
export function unitsOf(sample: readonly string[]): string[] {
  const parts = sample.flatMap((cell) => takeApart(cell) ?? []).filter(isMeasured);
  if (sample.length < LEAST_CELLS || parts.length < SHARE * sample.length) return [];
  const counts = new Map<string, number>();
  for (const { prefix, suffix } of parts) {
    const unit = `${prefix}${suffix}`.trim();
    counts.set(unit, (counts.get(unit) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([unit]) => unit);
}

const isMeasured = ({ prefix, suffix }: DressedNumber): boolean => isPrefix(prefix) && isSuffix(suffix);

/** Numbers of several units, which cannot be compared: texts, or categories where they repeat. */
export const hasMixedUnits: Question = (facts) => {
  if (facts.isNumber) return undefined;
  const units = unitsOf(facts.sample);
  if (units.length < 2) return undefined;
  const named = listed(
    units.map((unit) => (unit === '' ? 'none' : quoted(unit))),
    5,
  );
  return {
    kind: isList(facts) ? 'categorical' : 'text',
    confidence: 0.7,
    evidence: [
      `numbers of different units (${named})${example(facts)}`,
      `${percent(facts.distinctShare)} of the cells are distinct`,
    ],
  };
};

const isList = ({ distinct, distinctShare }: ColumnFacts): boolean =>
  distinct <= FEW || distinctShare <= MOSTLY_DISTINCT;
