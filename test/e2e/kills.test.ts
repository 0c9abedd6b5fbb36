import { expect, it } from 'vitest';
import { runKillTrials } from '../support/killTrials.ts';

it('loses no slot, serves no half-written result and says in every record what became of the job, wherever the server is killed', {
  timeout: 300_000,
}, async () => {
  const { outcomes, faults } = await runKillTrials(20, 20_261_103);
  expect(faults).toEqual([]);
  expect([...outcomes.values()].reduce((sum, n) => sum + n, 0)).toBe(20);
  expect([...outcomes.keys()]).toEqual(expect.arrayContaining(['uploaded: uploaded', 'just started: failed']));
});
