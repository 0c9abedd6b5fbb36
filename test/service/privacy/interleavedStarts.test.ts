/** Two starts of one job that meet at every pair of their calls, and at each of them a failure or a crash. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULTS, interleave } from '../../support/interleave.ts';
import { LedgerBench, randomTrial, STORES, trialStream, turnsOf } from '../../support/ledgerTrials.ts';

const END = Number.POSITIVE_INFINITY;
const SEED = 1;

describe.each(STORES)('two starts of one job on %s', (name) => {
  let bench: LedgerBench;
  /** Calls of a start that nobody is in the way of. */
  let calls: string[];
  beforeAll(async () => {
    bench = await LedgerBench.open(name);
    const trial = await bench.trial();
    calls = [];
    await interleave(trial.service, [trial.start()], {
      choose: ([step]) => step!,
      fault: ({ call }) => void calls.push(call),
    });
    await trial.settle(() => false);
  });
  afterAll(() => bench.close());

  it('make calls of the records between which another start can come', () => {
    expect(calls.filter((call) => call.startsWith('jobs.')).length).toBeGreaterThan(5);
    expect(calls).toContain('jobs.start');
    expect(calls).toContain('queue.submit');
  });

  it('have one charge and one winner, wherever the second comes in', async () => {
    // Before each call of the records and of the queue: the other ports change nothing that starts share.
    const places = [...calls.keys()].filter((at) => /^(jobs|queue)/.test(calls[at]!));
    for (const i of places) {
      for (const j of [...places.slice(1), END]) {
        const trial = await bench.trial();
        const endings = await interleave(trial.service, [trial.start(), trial.start()], {
          choose: turnsOf([
            { actor: 0, until: i },
            { actor: 1, until: j },
            { actor: 0, until: END },
          ]),
          fault: () => undefined,
        });
        expect(await trial.faults(), `${i}, ${j}`).toEqual([]);
        expect(await trial.charged(), `${i}, ${j}`).toHaveLength(1);
        expect(endings.map(({ kind }) => kind).sort(), `${i}, ${j}`).toEqual(['returned', 'threw']);
        await trial.settle(() => true);
        expect(await trial.unequal(), `${i}, ${j}`).toEqual([]);
      }
    }
  });

  it.each(FAULTS)(
    'have a charge for what may run and for nothing else, where a call of the first %s',
    async (fault) => {
      for (let i = 0; i < calls.length; i++) {
        // The second start comes in before the call that fails, ends after it, or stands in the middle.
        for (const j of [0, Math.floor(calls.length / 2), calls.indexOf('jobs.start') + 1, END]) {
          const trial = await bench.trial();
          const found: string[] = [];
          await interleave(trial.service, [trial.start(), trial.start()], {
            choose: turnsOf([
              { actor: 0, until: i },
              { actor: 1, until: j },
              { actor: 0, until: END },
            ]),
            fault: ({ actor, at }) => (actor === 0 && at === i ? fault : undefined),
            check: trial.noting(found),
          });
          expect(found, `${calls[i]}, ${j}`).toEqual([]);
          await trial.settle((job) => job === 0 && i % 2 === 0);
          expect([...(await trial.unequal()), ...(await trial.faults())], `${calls[i]}, ${j}`).toEqual([]);
        }
      }
    },
  );

  it('have charges that equal what ran in 80 random interleavings with cancels, processes and erasures', async () => {
    let ran = 0;
    let died = 0;
    for (let number = 1; number <= 80; number++) {
      const { faults, charged, endings } = await randomTrial(bench, trialStream(SEED, name, number));
      expect(faults, `trial ${number}`).toEqual([]);
      ran += charged;
      died += endings.filter(({ kind }) => kind === 'died').length;
    }
    // They are not all refused, and do not all live.
    expect(ran).toBeGreaterThan(25);
    expect(died).toBeGreaterThan(10);
  });
});
