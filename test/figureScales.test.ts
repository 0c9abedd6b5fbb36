import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { measuredFigureSchema } from '../packages/contract/measuredFigure.ts';
import { FIGURE_SCALES } from '../packages/words/figureScales.ts';
import { listFigures, withFigures } from '../scripts/figureTable.ts';

describe('docs/results.md', () => {
  const figures = listFigures();

  it('lists every figure of the metrics as it is defined: else run npm run docs:figures', () => {
    const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'results.md'), 'utf8');
    expect(page).toBe(withFigures(page));
    expect(figures.length).toBeGreaterThan(50);
  });

  it('says the scale of each: add an entry to packages/words/figureScales.ts, or a description to its schema', () => {
    const without = figures.filter(({ meaning, scale, isDescribed }) => meaning === '' || !(scale || isDescribed));
    expect(without.map(({ path }) => path)).toEqual([]);
  });

  it('has no scale of a figure that does not exist', () => {
    const paths = new Set(figures.map(({ path }) => path));
    expect(Object.keys(FIGURE_SCALES).filter((path) => !paths.has(path))).toEqual([]);
  });

  it('finds a figure that is added, with the description of its schema', () => {
    const added = measuredFigureSchema.meta({ description: 'AUC, 0 to 1; 0.5 is best.' });
    const schema = z.object({ privacy: z.object({ of_pairs: added, bare: measuredFigureSchema }).nullable() });
    const found = listFigures(schema).filter(({ path }) => /of_pairs|bare/.test(path));
    expect(found.map(({ path, meaning, isDescribed }) => [path, meaning, isDescribed])).toEqual([
      ['privacy.of_pairs', 'AUC, 0 to 1; 0.5 is best.', true],
      ['privacy.bare', '', false],
    ]);
  });
});
