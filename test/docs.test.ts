/** Links and paths in hand-written documents lead somewhere, and decisions keep to their form. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './support/imports.ts';

const FOLDERS =
  'adapters|api|bench|cli|docs|examples|gpu-job|infra|lambdas|mcp|packages|scripts|server|service|test|web';
/** Endings that a document may leave out. */
const ENDINGS = ['', '.ts', '.tsx', '.test.ts', '.suite.ts', '.mjs'];
const MAX_DECISION_WORDS = 250;

const source = globSync(`{${FOLDERS.replaceAll('|', ',')}}/**/*.{ts,tsx,mjs,py}`, { cwd: root }).map((file) =>
  file.replaceAll(sep, '/'),
);
const folders = new Set(source.flatMap((file) => dirname(file).split('/')));

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/**/*.md', { cwd: root }).toSorted()];
const decisions = readdirSync(join(root, 'docs', 'decisions')).filter((name) => name !== 'README.md');

/** Paths of this repository in a text, but those in addresses or behind a placeholder. */
function pathsIn(text: string): string[] {
  const pattern = new RegExp(`(?<![\\w./:<>-])(?:${FOLDERS})/[\\w./-]*\\w(?![\\w-]*[<…*])`, 'g');
  return [...new Set([...text.matchAll(pattern)].map(([path]) => path))];
}

/** Paths of the source from any folder on, such as `plan/orders` or `network/slopes.ts`, in backticks. */
function partialPathsIn(text: string): string[] {
  const paths = [...text.matchAll(/`([a-z][\w-]*(?:\/[\w.-]+)+)\/?`/g)].map(([, path = '']) => path);
  return [...new Set(paths)].filter((path) => folders.has(path.split('/')[0] ?? '') || /\.tsx?$/.test(path));
}

const exists = (path: string): boolean => ENDINGS.some((ending) => existsSync(join(root, path + ending)));

const existsPartly = (path: string): boolean =>
  exists(path) || source.some((file) => ENDINGS.some((ending) => `/${file}/`.includes(`/${path}${ending}/`)));

/** Relative links: what stands before and behind "#". */
function linksIn(text: string): [path: string, heading: string | undefined][] {
  const links = text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)/g);
  return [...links].map(([, path = '', heading]) => [path, heading]);
}

/** As the forge makes anchors of headings. */
const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (path: string): string[] =>
  [...textOf(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => toAnchor(heading));

describe('documents', () => {
  it.each(pages)('%s links to files and headings that exist', (page) => {
    const broken = linksIn(textOf(page)).filter(([path, heading]) => {
      const file = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(root, file))) return true;
      const isChecked = heading !== undefined && file.endsWith('.md') && !file.includes('reference');
      return isChecked && !anchorsOf(file).includes(heading);
    });
    expect(broken).toEqual([]);
  });

  it.each(pages)('%s names paths that exist', (page) => {
    expect(pathsIn(textOf(page)).filter((path) => !exists(path))).toEqual([]);
    expect(partialPathsIn(textOf(page)).filter((path) => !existsPartly(path))).toEqual([]);
  });

  it('are read for paths as meant', () => {
    const text = 'See `packages/words`, docs/a.md, https://x.org/docs/b.md, /jobs/c, `test/<name>`, and (service/d).';
    expect(pathsIn(text)).toEqual(['packages/words', 'docs/a.md', 'service/d']);
    expect(partialPathsIn('`plan/orders`, `x/y.ts`, `m/d/yy`')).toEqual(['plan/orders', 'x/y.ts']);
    expect(existsPartly('plan/orders') && !existsPartly('plan/orderse')).toBe(true);
    expect(linksIn('[a](b.md#c) [d](https://e) [f](#g)')).toEqual([
      ['b.md', 'c'],
      ['', 'g'],
    ]);
  });
});

describe('decisions', () => {
  it.each(decisions)('%s is named after its title and has at most 250 words', (name) => {
    const text = textOf(join('docs', 'decisions', name));
    const [, number, title = ''] = /^# (\d{4}): (.*)$/m.exec(text) ?? [];
    const words = title.toLowerCase().replaceAll('τ', 'tau').replaceAll("'s", '').replaceAll('`', '');
    expect(name).toBe(`${number}-${words.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '')}.md`);
    expect(text.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(MAX_DECISION_WORDS);
  });

  it('are in the index, each with its title', () => {
    const lines = textOf('docs/decisions/README.md')
      .split('\n')
      .filter((line) => line.startsWith('- '));
    const titles = decisions.map((name) => {
      const [, title = ''] = /^# (.*)$/m.exec(textOf(join('docs', 'decisions', name))) ?? [];
      return `- [${title}](${name})`;
    });
    expect(lines).toEqual(titles.toSorted());
  });
});
