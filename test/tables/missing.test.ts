import { describe, expect, it } from 'vitest';
import { isMissing } from '../../packages/tables/missing.ts';

describe('isMissing', () => {
  it.each(['', 'NA', 'N/A', 'n/a', 'NaN', 'nan', 'null', 'NULL', ' ', '\t', ' NA ', '\r\n'])(
    'takes %j for missing',
    (text) => {
      expect(isMissing(text)).toBe(true);
    },
  );

  it.each(['0', '-', 'na', 'Nan', 'none', 'NAN', 'N/A!', 'NA NA', 'Namibia', 'false'])('keeps %j', (text) => {
    expect(isMissing(text)).toBe(false);
  });
});
