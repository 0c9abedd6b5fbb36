import { expect, it } from 'vitest';
import { runKillTrials } from '../support/killTrials.ts';

/** Each moment once; `bench/kills.ts` kills as often as it is asked to. */
const TRIALS = 6;

it('loses no slot and no job, and serves no half-written result: what was interrupted ends with the same bytes, wherever the server is killed', {
  timeout: 300_000,
}, async () => {
  const { outcomes, faults } = await runKillTrials(TRIALS, 20_261_103);
  expect(faults).toEqual([]);
  expect([...outcomes.values()].reduce((sum, n) => sum + n, 0)).toBe(TRIALS);
  expect([...outcomes.keys()]).toEqual(expect.arrayContaining(['uploaded: uploaded', 'just started: done']));
});
