/** Dates in which day and month may stand either way round. */
import type { Dress, TimeDress } from './dress.ts';

const DAY_AND_MONTH = /^(DD?|MM?)([-/. ])(DD?|MM?)(\2Y.*)$/;

/** The dress that reads the day for the month; undefined where the dress is no date of digits that can be turned round. */
export function turnedRound(dress: Dress | undefined): TimeDress | undefined {
  if (dress?.kind !== 'time') return undefined;
  const [, first = '', mark = '', second = '', rest = ''] = DAY_AND_MONTH.exec(dress.pattern) ?? [];
  if (first[0] === second[0]) return undefined;
  // Days that are all the first of a month are so in one order only.
  return { ...dress, pattern: `${second}${mark}${first}${rest}`, unit: dress.unit === 'month' ? 'day' : dress.unit };
}
