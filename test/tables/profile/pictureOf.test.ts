import { describe, expect, it } from 'vitest';
import { pictureOf } from '../../../packages/tables/profile/profile.ts';
import { column, numeric } from '../../support/profiles.ts';

describe('the picture of a column', () => {
  it('has the quantiles of numbers, with least, median and greatest as the file writes them', () => {
    const picture = pictureOf(numeric('n'), 10);
    expect(picture).toMatchObject({ kind: 'quantiles', low: '-1.5', middle: '0.5', high: '2.5' });
    if (picture?.kind !== 'quantiles') return expect.fail();
    expect(picture.values).toHaveLength(picture.probabilities.length);
    expect([picture.probabilities[0], picture.probabilities.at(-1)]).toEqual([0, 1]);
  });

  it('counts the levels that it does not name, and missing cells not at all', () => {
    const levels = Array.from({ length: 20 }, (_, i): [string, number] => [`level ${i}`, 4]);
    const picture = pictureOf(column('c', { top_levels: levels, missing: 10 }), 100);
    expect(picture).toMatchObject({ kind: 'levels', others: 100 - 10 - 12 * 4 });
    if (picture?.kind === 'levels') expect(picture.levels).toHaveLength(12);
  });

  it('has lengths of texts and identifiers, and is nothing for an empty column', () => {
    const lengths = { min: 1, mean: 2, max: 3 };
    expect(pictureOf(column('t', { kind: 'text', lengths }), 10)).toEqual({ kind: 'lengths', ...lengths });
    expect(pictureOf(column('e', { kind: 'empty', lengths: null }), 10)).toBeNull();
  });
});
