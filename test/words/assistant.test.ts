/** What an assistant is told of a refusal leaves the machine that the table may not leave. */
import { describe, expect, it } from 'vitest';
import type { Case } from '../../packages/contract/problems.ts';
import { problemText, type ReceivedProblem } from '../../packages/words/problems.ts';

const CELL = '98765.43';
const ROW = 4711;

const refused = (params: Case): ReceivedProblem => ({ code: 'invalid_parameter', params });
const CASES: [of: string, problem: ReceivedProblem][] = [
  [
    'a family',
    refused({
      reason: 'family_cannot_hold',
      column: 'pay',
      family: 'beta',
      support: 'open_unit',
      instead: 'gamma',
      found: 'value',
      value: Number(CELL),
      row: ROW,
      cells: null,
      values: 600,
    }),
  ],
  ['a level', refused({ reason: 'condition_level_unknown', column: 'pay', level: 'x', near: [], levels: [CELL] })],
  [
    'a level nearly',
    refused({ reason: 'condition_level_unknown', column: 'pay', level: 'x', near: [CELL], levels: [] }),
  ],
  [
    'a range',
    refused({ reason: 'condition_out_of_range', column: 'pay', condition: 'pay > 1e6', low: CELL, high: CELL }),
  ],
];

describe('a refusal in the words of an assistant', () => {
  it.each(CASES)('of %s quotes no cell and no row, which the owner reads in the answer of HTTP', (_, problem) => {
    expect(problemText(problem, 'http')).toContain(CELL);
    const told = problemText(problem, 'mcp');
    expect(told).toContain('"pay"');
    expect(told).not.toMatch(/98765|4,?711|undefined|null| \.|,\./);
  });
});
