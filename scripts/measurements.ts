/** `npm run docs:measurements`: writes docs/measurements.md from docs/measurements/*.json. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measurementsPage } from './measurementsPage.ts';

const docs = join(import.meta.dirname, '..', 'docs');
writeFileSync(join(docs, 'measurements.md'), measurementsPage(docs));
