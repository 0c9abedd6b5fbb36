import { describe, expect, it } from 'vitest';
import {
  conditionOf,
  conditionsFault,
  draftFault,
  draftOf,
  firstDraft,
  readConditions,
  writeConditions,
} from '../../web/logic/conditions.ts';
import { columnNamed } from '../support/page.ts';

const area = columnNamed('area');
const city = columnNamed('city');

describe('conditions in a form', () => {
  it.each([
    { column: 'area', between: [18, null] as [number, null] },
    { column: 'area', between: ['$1,200', '$9,000'] as [string, string], rows: 5 },
    { column: 'city', in: ['Oslo', 'a, b', null] },
    { column: 'city', equals: null, rows: 3 },
  ])('%j stay what they are in JSON', (condition) => {
    expect(readConditions(writeConditions([condition]))).toEqual([condition]);
    const column = condition.column === 'area' ? area : city;
    expect(conditionOf(draftOf(condition), column)).toEqual(condition);
  });

  it('are numbers where a number is typed, and texts while it is half typed', () => {
    const typed = (low: string) => conditionOf({ ...firstDraft(area), low }, area).between;
    expect([typed('18'), typed('1.'), typed('-2.5'), typed('007')]).toEqual([
      [18, null],
      ['1.', null],
      [-2.5, null],
      ['007', null],
    ]);
    // Levels are texts, as in the file.
    expect(conditionOf({ ...firstDraft(city), values: ['3'] }, city)).toEqual({ column: 'city', in: ['3'] });
  });

  it('begin with the most frequent level, or with a range to be filled in', () => {
    expect(firstDraft(city)).toMatchObject({ test: 'among', values: ['Oslo'] });
    expect(draftFault(firstDraft(city))).toBeUndefined();
    expect(draftFault(firstDraft(area))).toBe('Enter at least one bound.');
    expect(draftFault({ ...firstDraft(city), values: [] })).toBe('Add at least one value.');
    expect(draftFault({ ...firstDraft(city), rows: '' })).toMatch(/number of rows/);
  });

  it('are not sent where they are no list of conditions', () => {
    const wrong = [
      '[',
      '{}',
      '[3]',
      'null',
      '[{"column": 3}]',
      '[{"column": "a", "in": "b"}]',
      '[{"column": "a", "between": [1]}]',
    ];
    expect(wrong.map(readConditions)).toEqual(wrong.map(() => undefined));
    expect(conditionsFault('[')).toMatch(/Not valid JSON/);
    expect(conditionsFault('')).toBeUndefined();
  });
});
