/** The project's own TypeScript files. */
import { globSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

export function projectFiles(): string[] {
  return globSync('**/*.{ts,tsx}', {
    cwd: root,
    exclude: ['**/node_modules/**', 'data/**', 'demo-data/**', '.cache/**', 'dist/**'],
  }).sort();
}
