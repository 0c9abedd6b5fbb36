import { describe, expect, it } from 'vitest';
import { sequencePicture } from '../../web/logic/sequences.ts';

const SIZE = { width: 100, height: 10 };
const band = (q50: number) => ({ q10: q50 - 2, q25: q50 - 1, q50, q75: q50 + 1, q90: q50 + 2 });

describe('a picture of sequences', () => {
  it('has both sides on one scale, as long as the longest', () => {
    const picture = sequencePicture({ column: 'x', real: [band(2), band(4)], synthetic: [[0, 5, 10]] }, SIZE);
    expect(picture).toMatchObject({ rows: 3, low: 0, high: 10 });
    expect(picture?.real?.median).toBe('M0 8L50 6');
    expect(picture?.real?.outer).toBe('M0 10L50 8L50 4L0 6Z');
    expect(picture?.synthetic?.lines).toEqual(['M0 10L50 5L100 0']);
  });

  it('breaks lines at missing cells, and has a dot for a cell alone', () => {
    const picture = sequencePicture({ column: 'x', real: [], synthetic: [[0, null, 10], [5, 5, null], [3]] }, SIZE);
    expect(picture?.real).toBeNull();
    expect(picture?.synthetic?.lines).toEqual(['M0 10M100 0', 'M0 5L50 5', 'M0 7']);
    expect(picture?.synthetic?.dots).toEqual([
      [0, 10],
      [100, 0],
      [0, 7],
    ]);
  });

  it('has no synthetic side while that is withheld, one height for a number that is the same, and is none of nothing', () => {
    const picture = sequencePicture({ column: 'x', real: [band(2), band(2)], synthetic: null }, SIZE);
    expect(picture?.synthetic).toBeNull();
    const flat = sequencePicture({ column: 'x', real: [], synthetic: [[7, 7]] }, SIZE);
    expect(flat?.synthetic?.lines).toEqual(['M0 5L100 5']);
    expect(sequencePicture({ column: 'x', real: [], synthetic: [[null]] }, SIZE)).toBeUndefined();
  });
});
