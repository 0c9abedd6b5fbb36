/** What every store of clock marks does. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClockMarks } from '../../service/ports.ts';
import type { Made, MakeAdapter } from './made.ts';

export function clockMarksSuite(name: string, makeAdapter: MakeAdapter<ClockMarks>): void {
  describe(`ClockMarks: ${name}`, () => {
    let made: Made<ClockMarks>;
    beforeEach(async () => {
      made = await makeAdapter();
    });
    afterEach(() => made.dispose());

    it('keeps the last mark, and none at first', async () => {
      expect(await made.adapter.last()).toBeUndefined();
      await made.adapter.mark({ seenAt: 1, trustedFrom: 2 });
      const last = { seenAt: 1_800_000_000_000, trustedFrom: 1_800_086_400_000 };
      await made.adapter.mark(last);
      expect(await made.another().last()).toEqual(last);
    });
  });
}
