/** The project's own TypeScript files and the imports between them, read from the source text. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

const IMPORT =
  /^\s*(?:import|export)\s(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|new URL\(\s*['"](\.[^'"]+\.ts)['"]/gm;
const TYPE_ONLY = /^\s*(?:import|export)\s+type\s/;

export interface Import {
  /** Path of the importing file, relative to the root. */
  from: string;
  /** Path relative to the root for a file of the project, else the package's specifier. */
  to: string;
  typeOnly: boolean;
}

export function projectFiles(): string[] {
  return globSync('**/*.{ts,tsx}', {
    cwd: root,
    exclude: ['**/node_modules/**', 'data/**', 'demo-data/**', '.cache/**'],
  }).sort();
}

export function importsOf(file: string): Import[] {
  const source = readFileSync(join(root, file), 'utf8');
  return [...source.matchAll(IMPORT)].map((match) => {
    const specifier = match[1] ?? match[2] ?? match[3] ?? '';
    const to = specifier.startsWith('.') ? relative(root, join(root, dirname(file), specifier)) : specifier;
    return { from: file, to, typeOnly: TYPE_ONLY.test(match[0]) };
  });
}

/** The first import cycle found, as a path of files, or undefined. Types may be circular: they vanish at run time. */
export function findCycle(imports: Import[]): string[] | undefined {
  const next = new Map<string, string[]>();
  for (const { from, to, typeOnly } of imports) {
    if (!typeOnly) next.set(from, [...(next.get(from) ?? []), to]);
  }
  const finished = new Set<string>();
  const visit = (file: string, path: string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (finished.has(file)) return undefined;
    for (const to of next.get(file) ?? []) {
      const cycle = visit(to, [...path, file]);
      if (cycle) return cycle;
    }
    finished.add(file);
    return undefined;
  };
  for (const file of next.keys()) {
    const cycle = visit(file, []);
    if (cycle) return cycle;
  }
  return undefined;
}
