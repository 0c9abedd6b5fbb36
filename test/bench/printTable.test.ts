import { describe, expect, it } from 'vitest';
import { tableLines } from '../../bench/support/printTable.ts';

describe('tableLines', () => {
  it('puts texts to the left, numbers to the right with three digits, and a dash where there is none', () => {
    const rows = [
      ['a', 1234.56],
      ['longer', 0.012345],
      ['b', null],
    ];
    expect(tableLines(['name', 'ms'], rows)).toEqual([
      'name        ms',
      '──────  ──────',
      'a         1235',
      'longer  0.0123',
      'b            –',
    ]);
  });
});
