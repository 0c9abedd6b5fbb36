import { describe, expect, it } from 'vitest';
import { detectDelimiter, detectNewline } from '../../packages/tables/plainRow.ts';

const delimiterOf = (text: string) => detectDelimiter(text, '\n', { whole: true });

describe('detectDelimiter', () => {
  it.each([
    [',', 'a,b\n1,2\n3,4\n'],
    [';', 'a;b\n1,5;2,5\n3,25;4\n'],
    ['\t', 'a\tb, c\n1\t2\n3\t4, 5\n'],
    ['|', 'a|b|c\n1|2;3|4\n'],
    [',', 'when,list\n1,2015;2016\n2,2017\n'],
    [',', 'a;b,c\n1,2\n3,4\n'],
    [';', '"x, y";z\n"1, 2";3\n'],
    [',', 'a,b,c\n1,2\n1,2,3\n1,2,3\n'],
    [',', 'a,b\n1,2,\n3,4,\n'],
    [',', 'a,b\n1\n'],
  ])('finds %j', (delimiter, text) => {
    expect(delimiterOf(text)).toBe(delimiter);
  });

  it('gives a file of one column a delimiter that its cells do not have', () => {
    expect(delimiterOf('n\n1\n2\n')).toBe(',');
    expect(delimiterOf('note\nred, green\nblue\none, two, three\n')).toBe(';');
  });

  it('does not look at a last row that is cut off', () => {
    expect(detectDelimiter('a;b\n1;2\n3;"x,', '\n', { whole: false })).toBe(';');
  });
});

describe('detectNewline', () => {
  it('is LF where there is one outside quotes, and CR where there is only that', () => {
    expect(detectNewline('a,b\r\n1,2\r\n')).toBe('\n');
    expect(detectNewline('a,b\r1,"x\ny"\r')).toBe('\r');
    expect(detectNewline('a,b')).toBe('\n');
  });
});
