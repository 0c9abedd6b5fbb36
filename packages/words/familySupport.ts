import type { Case } from '../contract/problems.ts';
import { counted, withCommas } from './wording.ts';

const UNIT = '0 and 1 (or percentages between 0 and 100)';

/** Values that each family supports. */
export const SUPPORTS: Readonly<Record<string, string>> = {
  real: 'all numbers',
  positive: 'numbers above 0',
  not_negative: 'numbers from 0 up',
  open_unit: `numbers between ${UNIT}, without the ends`,
  unit_with_zero: `numbers between ${UNIT}, without the upper end`,
  unit_with_one: `numbers between ${UNIT}, without the lower end`,
  unit: `numbers between ${UNIT}`,
  zero_or_one: 'only 0 and 1',
  counts: 'whole numbers from 0 up',
};

type Violation = Pick<Case<'family_cannot_hold'>, 'found' | 'value' | 'row' | 'cells' | 'values'>;

/** `-3 in row 7`, `12 zeros among its 30 numbers, the first in row 9`. */
export function violationText({ found, value, row, cells, values }: Violation): string {
  if (found === 'none_above_zero') return 'no number above 0';
  if (found === 'none_between') return 'no number strictly between 0 and 1';
  if (found === 'zeros' && cells !== null) {
    const where = row === null ? '' : `, ${cells === 1 ? '' : 'the first '}in row ${withCommas(row)}`;
    return `${counted(cells, 'zero')} among its ${counted(values, 'number')}${where}`;
  }
  if (found === 'decimals') return 'numbers with decimals';
  if (value === null) return 'other numbers';
  return row === null ? `the value ${value}` : `${value} in row ${withCommas(row)}`;
}
