import { describe, expect, it } from 'vitest';
import { EventQueue } from '../../../bench/scaling/eventQueue.ts';
import { INPUTS } from '../../../bench/scaling/inputs.ts';
import { quotas, SLOT_BYTES } from '../../../bench/scaling/quotas.ts';
import { capacityPerHour, simulate } from '../../../bench/scaling/simulate.ts';

describe('the event queue', () => {
  it('lets things happen in the order of their time, and of their insertion where that is the same', () => {
    const events = new EventQueue();
    const seen: string[] = [];
    for (const [at, name] of [
      [3, 'c'],
      [1, 'a'],
      [3, 'd'],
      [2, 'b'],
    ] as const)
      events.at(at, () => seen.push(name));
    events.at(1, () => events.in(1.5, () => seen.push('between')));
    events.run();
    expect(seen.join(' ')).toBe('a b between c d');
  });
});

describe('the simulation of scale', () => {
  it('gives the same figures for the same seed', () => {
    const load = { limit: 3, jobs: 200, perHour: 10, seed: 1 };
    expect(simulate(INPUTS, load)).toEqual(simulate(INPUTS, load));
  });

  it('reaches the throughput that follows from slots and mean times, where machines are always cold', () => {
    const cold = { ...INPUTS, gpu: { ...INPUTS.gpu, keptIdle: 0 }, retryAfter: 2 };
    const { jobsPerHour } = simulate(cold, { limit: 30, jobs: 900, perHour: undefined, seed: 2 });
    // The last jobs leave slots empty.
    expect(Math.abs(jobsPerHour / capacityPerHour(cold, 30) - 1)).toBeLessThan(0.1);
  });

  it('lets nobody wait for a slot where there is one for everybody, and bills what machines cost', () => {
    const plain = {
      ...INPUTS,
      textShare: 1,
      requestDollars: 0,
      gpuRun: { median: 3600, spread: 0 },
      gpu: { ...INPUTS.gpu, coldStart: [0, 0], keptIdle: 0, dollarsPerHour: 2 },
    } as const;
    const outcome = simulate(plain, { limit: 50, jobs: 50, perHour: undefined, seed: 3 });
    expect([outcome.slotWait95, outcome.mostRefusals, outcome.gpusAtOnce]).toEqual([0, 0, 50]);
    expect(outcome.dollarsPerJob).toBeCloseTo(2, 9);
    expect(outcome.gpuUse).toBeCloseTo(1, 9);
  });

  it('runs a job again where its machine is taken away', () => {
    const often = { ...INPUTS, gpu: { ...INPUTS.gpu, reclaimedPerHour: 2 }, textShare: 1 };
    const load = { limit: 300, jobs: 300, perHour: undefined, seed: 5 };
    const calm = simulate({ ...INPUTS, textShare: 1 }, load);
    expect(simulate(often, load).dollarsPerJob).toBeGreaterThan(calm.dollarsPerJob);
  });

  it('puts the quotas in the order in which they are reached', () => {
    const reached = quotas(INPUTS).map(({ reachedAt }) => reachedAt);
    expect(reached).toEqual([...reached].sort((a, b) => a - b));
    expect(SLOT_BYTES).toBeGreaterThan(100);
  });
});
