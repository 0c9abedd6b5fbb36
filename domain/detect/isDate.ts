import { redress, type TimeDress } from '../dress/dress.ts';
import { counted, listed, percent, quoted } from '../table/wording.ts';
import { type ColumnFacts, example, type Question, shareOf, shown, type Verdict } from './columnFacts.ts';
import { DATE_FORMS, type DateForm } from './dateForms.ts';

/** Share of the sampled cells that have to be of a form. */
const SHARE = 0.95;
const LONGEST = 40;

/** Dates and times: nearly all cells are of one pattern, or nearly all sampled ones of a few forms. */
export const isDate: Question = (facts) => {
  if (facts.dress?.kind === 'time') return ofOnePattern(facts, facts.dress);
  if (facts.isNumber || !facts.lengths || facts.lengths.mean > LONGEST) return undefined;
  if (shareOf(facts, (cell) => /\d/.test(cell)) < SHARE) return undefined;
  const forms = formsOf(facts);
  const inForm = shareOf(facts, (cell) => forms.some(({ pattern }) => pattern.test(cell.trim())));
  if (inForm < SHARE) return undefined;
  const names = listed(forms.map(({ name }) => name));
  return {
    kind: 'datetime',
    confidence: inForm === 1 ? 0.9 : 0.8,
    evidence: [
      `${percent(inForm)} of the cells looked at are dates or times of the form ${names}${example(facts)}`,
      'not all of them are written alike, so they cannot be counted as time',
    ],
  };
};

function ofOnePattern(facts: ColumnFacts, dress: TimeDress): Verdict {
  const strays = facts.present - (facts.numbers?.count ?? 0);
  const { min, max } = dress.format;
  const isBare = /^[YMDhms]+$/.test(dress.pattern);
  return {
    kind: 'datetime',
    confidence: strays > 0 ? 0.85 : isBare ? 0.9 : dress.ambiguous ? 0.88 : 0.97,
    evidence: [
      `dates or times of the form ${dress.pattern}${example(facts)}, from ${redress(min, dress)} to ${redress(max, dress)}, counted in ${dress.unit}s`,
      ...(dress.zone === null ? [] : [`the zone is ${quoted(dress.zone)}`]),
      ...(dress.ambiguous ? ['no cell tells day and month apart'] : []),
      ...(strays > 0
        ? [`${counted(strays, 'cell')} of another form, such as ${listed(facts.strays.slice(0, 3).map(shown))}`]
        : []),
    ],
  };
}

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
