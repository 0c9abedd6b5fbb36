import { expect, it } from 'vitest';
import { runKillTrials } from '../support/kills/killTrials.ts';
import { momentNames } from '../support/kills/moments.ts';

it('loses nothing that it has acknowledged, holds no slot and serves no half-written result, wherever it is killed', {
  timeout: 300_000,
}, async () => {
  const { outcomes, faults } = await runKillTrials({ count: momentNames.length, seed: 20 });
  expect(faults).toEqual([]);
  expect(new Set(outcomes.map(({ moment }) => moment))).toEqual(new Set(momentNames));
});
