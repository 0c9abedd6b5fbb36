import { describe, expect, test } from 'vitest';
import { placeKindOf } from '../../../packages/tables/detect/placeTexts.ts';

const each = (...cells: string[]): string[] => Array.from({ length: 40 }, (_, i) => cells[i % cells.length]!);

describe('what places and firms are told by', () => {
  test.each([
    ['address', 'anything', each('12 Elm Road', '3a High St.', '77 Park Ave')],
    ['address', 'Anschrift', each('Hauptstr. 5, 4020 Linz', 'Am Hof 3, 1010 Wien')],
    ['address', 'calle', each('Calle Mayor 5', 'Plaza del Sol 14')],
    ['address', 'gate', each('Karl Johans gate 12', 'Storgata 5')],
    ['town', 'city', each('New York', 'Chicago')],
    ['town', 'birthTown', each('Graz', 'Bad Ischl')],
    ['firm', 'x', each('Keller & Söhne GmbH', 'Hane Inc', 'Acme Ltd.')],
    ['firm', 'employer', each('Hane Inc', 'Acme', 'Northern Light', 'Bell and Sons')],
  ])('%s in a column called %s', (kind, column, cells) => {
    expect(placeKindOf(column, cells)).toBe(kind);
  });

  test.each([
    ['title', each('The Road', 'A Street Car', 'Drive', 'Terrace House')],
    ['city', each('4020', '1010')],
    ['company', each('a fine service', 'we were happy')],
    ['address', each('10.0.0.1', '192.168.1.7')],
    ['address', each('ann@example.org', 'ben@example.org')],
    ['note', each('We drove down the road for 3 days and then stayed at a place by the sea with some 20 others.')],
  ])('but nothing in a column %s of others', (column, cells) => {
    expect(placeKindOf(column, cells)).toBeUndefined();
  });
});
