/** Part of `npm test`: what the project asks of its code and words and biome has no rule for. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, findStyle, methodsOf, parseSource } from './lint/codeStyle.ts';
import { findWords } from './lint/words.ts';

const root = join(import.meta.dirname, '..');
const exclude = ['**/node_modules/**', 'data/**', 'demo-data/**', '.cache/**', 'dist/**'];

const sources = globSync('**/*.{ts,tsx}', { cwd: root, exclude }).map((path) => {
  const text = readFileSync(join(root, path), 'utf8');
  return { path: path.replaceAll('\\', '/'), text, file: parseSource(path, text) };
});
const pages = ['README.md', 'CONTRIBUTING.md'].map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** Tests may name what no longer is, and the lists name all of it. */
const isProduction = ({ path }: { path: string }): boolean => !/^(test|bench|scripts\/lint)\//.test(path);

const methods = new Set(sources.flatMap(({ file }) => [...methodsOf(file)]));
const findings: [path: string, found: Finding[]][] = [
  ...sources.map(({ path, file }): [string, Finding[]] => [path, findStyle(file, methods)]),
  ...[...sources, ...pages]
    .filter(isProduction)
    .map(({ path, text }): [string, Finding[]] => [path, findWords(path, text)]),
];
const lines = findings.flatMap(([path, found]) =>
  found.map(({ line, text, problem }) => `${path}:${line}: ${problem}\n  ${text.slice(0, 100)}`),
);
for (const line of lines) console.error(line);
console.log(`${sources.length} files, ${lines.length} findings`);
process.exitCode = lines.length === 0 ? 0 : 1;
