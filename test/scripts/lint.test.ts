import { describe, expect, it } from 'vitest';
import { findStyle, methodsOf, parseSource } from '../../scripts/lint/codeStyle.ts';
import { findWords } from '../../scripts/lint/words.ts';

function linesFound(source: string): number[] {
  const file = parseSource('a.tsx', source);
  return findStyle(file, methodsOf(file)).map(({ line }) => line);
}

describe('literal spreads', () => {
  it.each([
    'const a = { x, ...{ y, z } };',
    'const a = { ...({ y } as const) };',
    'const a = [...[1, 2], 3];',
    'const a = [...([1, 2] satisfies number[])];',
    'f(...[a, b]);',
    'const a = <Panel {...{ b, c }} />;',
  ])('are found: %s', (source) => {
    expect(linesFound(source)).toEqual([1]);
  });

  it.each([
    'const a = { ...b, ...(c && { d }), ...(c ? { d } : {}) };',
    'const a = [...b, ...(c ? [d] : []), ...b.map((e) => [e])];',
    'f(...a);',
    'const a = <Panel {...b} />;',
  ])('are not what depends on a condition or has a name: %s', (source) => {
    expect(linesFound(source)).toEqual([]);
  });
});

describe('bare booleans', () => {
  it.each([
    'function f(isA: boolean) {} f(true);',
    "import { f } from './f.ts'; f(1, false);",
    'const f = (isA: boolean) => isA; f(true);',
    'class A { f(isA: boolean) { this.f(true); } }',
    'class A { f(isA: boolean) {} } new A().f(true);',
    'interface A { f(isA: boolean): void } const g = (a: A) => a.f(false);',
    'class A { constructor(isA: boolean) {} } new A(true);',
  ])('of own functions are found: %s', (source) => {
    expect(linesFound(source)).toEqual([1]);
  });

  it.each([
    'function f({ isA }: { isA: boolean }) {} f({ isA: true });',
    "import { f } from 'elsewhere'; f(true);",
    "import { z } from 'zod'; class A { literal() {} } z.literal(true);",
    'const a = new DataView(b); a.getUint16(0, true);',
    'class A { push() {} } list.push(true);',
    'expect(a).toBe(true);',
    "import { useState } from 'preact/hooks'; const [is, setIs] = useState(false); setIs(true);",
    'new Promise((resolve) => resolve(true));',
  ])('of others are not: %s', (source) => {
    expect(linesFound(source)).toEqual([]);
  });
});

describe('words', () => {
  it('are found that were replaced, in code, and phrases, in what people read', () => {
    expect(findWords('a.ts', 'const a = 1;\nbreatheOut();')).toMatchObject([{ line: 2 }]);
    expect(findWords('README.md', 'It is learnt from rows.')).toMatchObject([{ line: 1 }]);
  });

  it('are not looked for where they are no words of people', () => {
    expect(findWords('a.ts', '// not to be had\nconst a = 1;')).toEqual([]);
    expect(findWords('README.md', 'breatheOut')).toEqual([]);
  });
});
