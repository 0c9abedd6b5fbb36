import { listed, percent, quoted } from '../table/wording.ts';
import { type ColumnFacts, type Question, shareOf } from './columnFacts.ts';
import { COMPACT_DATE, DATE_FORMS, type DateForm } from './dateForms.ts';
import { isNumeric } from './isNumeric.ts';

/** Share of the sampled cells that have to be of a form. */
const SHARE = 0.95;
const LONGEST = 40;
/** Numbers that happen to be dates are rare, but in a handful of cells they are not. */
const LEAST_NUMBERS = 10;

/** Dates and times: nearly all sampled cells are of one form, or of a few. */
export const isDate: Question = (facts) => {
  if (isNumeric(facts.numbers, facts.present)) return isCompactDate(facts);
  if (!facts.lengths || facts.lengths.mean > LONGEST || shareOf(facts, (cell) => /\d/.test(cell)) < SHARE)
    return undefined;
  const forms = formsOf(facts);
  const inForm = shareOf(facts, (cell) => forms.some(({ pattern }) => pattern.test(cell.trim())));
  if (inForm < SHARE) return undefined;
  const names = listed(forms.map(({ name }) => name));
  const example = quoted(facts.sample[0] ?? '');
  return {
    kind: 'datetime',
    confidence: inForm === 1 ? 0.97 : 0.85,
    evidence: [`${percent(inForm)} of the cells looked at are dates or times of the form ${names}, such as ${example}`],
  };
};

/** The forms that the cells have, each the first in the list that fits; the one that fits most cells first. */
function formsOf(facts: ColumnFacts): DateForm[] {
  const counts = new Map<DateForm, number>();
  let left = facts.sample.map((cell) => cell.trim());
  for (const form of DATE_FORMS) {
    const before = left.length;
    left = left.filter((cell) => !form.pattern.test(cell));
    if (left.length < before) counts.set(form, before - left.length);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([form]) => form);
}

const isCompactDate: Question = (facts) => {
  const isWhole = facts.numbers?.format.integer === true && facts.leadingZeros === 0;
  if (!isWhole || facts.present < LEAST_NUMBERS || facts.distinct < 2) return undefined;
  if (shareOf(facts, (cell) => COMPACT_DATE.pattern.test(cell.trim())) < 1) return undefined;
  return {
    kind: 'datetime',
    confidence: 0.9,
    evidence: [`all cells looked at are numbers of the form ${COMPACT_DATE.name}, such as ${facts.sample[0]}`],
  };
};
