/** `npm run docs:figures`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFigures } from './figureTable.ts';

const path = join(import.meta.dirname, '..', 'docs', 'results.md');
writeFileSync(path, withFigures(readFileSync(path, 'utf8')));
