import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFiles, root } from '../support/imports.ts';

/** How lines of progress begin. Files may show one as an example, and may not look for one. */
const HEADS = [
  'Target model',
  'Text model',
  'Rows from',
  'Read ',
  'Family of',
  'All ',
  'Held out',
  'Categories',
  'Continuous',
  'Identifiers',
  'Regression of',
  'Sampling',
  'Text: ',
  'Target "',
  'Conditions: ',
  'Redrew',
  'Release policy',
  'Metrics',
  'Wrote',
  'Report made',
  'Pipeline finished',
  'Restored',
].join('|');
const SEARCH = 'match|matchAll|includes|startsWith|endsWith|indexOf|search|split|replace|replaceAll';
const PROGRESS = new RegExp(`(?:/\\^\\(?|\\.(?:${SEARCH})\\(['"\`])(?:${HEADS})`);

/** A message, or a line by number, that is searched, matched or compared with a sentence; `typeof` is no comparison. */
const TOLD = String.raw`\b(?:message|progress(?:\[\w+\]|\.at\([^)]*\)))\)?`;
const MESSAGES = new RegExp(
  [
    `${TOLD}[?!]?\\.(?:${SEARCH})\\(`,
    `(?<!typeof [\\w.?]*)${TOLD} ?[!=]==? ?['"\`]`,
    `\\.(?:test|exec)\\([^()]*${TOLD}`,
    `switch \\([^()]*${TOLD}`,
  ].join('|'),
);

/** A line of progress that a way in takes apart instead of its event. */
const LINES = new RegExp(`\\bline[?!]?\\.(?:${SEARCH})\\(|\\.(?:test|exec)\\(line\\)`);
const WAYS_IN = /^(?:cli|mcp|web\/(?!docs)|packages\/client)\//;

/** What others throw without a code: JSON.parse, the reader of workbooks at a password, the engine out of memory. */
const FOREIGN = ['api/http/input.ts', 'packages/tables/readSpreadsheet.ts', 'service/job/failures.ts'];

const isShipped = (file: string): boolean =>
  /\.tsx?$/.test(file) && !/^(test|bench|scripts)\/|^packages\/words\//.test(file);

const isComment = (line: string): boolean => /^\s*(\/\/|\/?\*)/.test(line);

const filesWith = (pattern: RegExp): string[] =>
  projectFiles().filter((file) => {
    if (!isShipped(file)) return false;
    const lines = readFileSync(join(root, file), 'utf8').split('\n');
    return lines.some((line) => !isComment(line) && pattern.test(line));
  });

describe('progress', () => {
  it('is read by no file as prose: events say what happened', () => {
    expect(filesWith(PROGRESS)).toEqual([]);
    expect(filesWith(LINES).filter((file) => WAYS_IN.test(file))).toEqual([]);
  });

  it.each([
    'of: /^Metrics/,',
    'line.startsWith("Sampling")',
    'of: /^(Wrote|Pipeline finished)/',
    "x.includes('Text: ')",
    'const [, part, whole] = /([\\d,]+) of ([\\d,]+)/.exec(line) ?? [];',
    'line.replace(/ \\([\\d.]+ s\\)$/, "")',
  ])('would be found in %s', (line) => {
    expect(PROGRESS.test(line) || LINES.test(line)).toBe(true);
  });
});

describe('messages of errors', () => {
  it('are read by no file as prose, but for those of others: codes, fields and params say what was found', () => {
    expect(filesWith(MESSAGES)).toEqual(FOREIGN);
  });

  it.each([
    'if (/draws/.test(error.message)) return;',
    "if (error?.message.startsWith('column')) return;",
    "error.message === 'There is no job.'",
    'const [first] = String(error.message).split(". ");',
    "const said = error instanceof Error ? error.message.split('. ')[0] : String(error);",
    "status.progress.at(-1)?.includes('rows')",
    'const found = FIELD.exec(problem.error?.message ?? "");',
  ])('would be found in %s', (line) => {
    expect(MESSAGES.test(line)).toBe(true);
  });

  it.each([
    "typeof error.message !== 'string'",
    'const message = error.message;',
    'progress.at(-1) === undefined',
    'job.progress.filter((entry) => isEvent(entry))',
  ])('would not be found in %s', (line) => {
    expect(MESSAGES.test(line)).toBe(false);
  });
});
