import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_COMPUTE, VANISHED } from '../../../service/job/failures.ts';
import { DEFAULT_LIMITS, judgeAttempt, PENDING_MS } from '../../../service/job/reconcile.ts';
import { ComputeWorld, ENDS, JOBS, MAX_RUNNING, STARTS } from './computeWorld.ts';

const pick = fc.nat(1000);
const job = fc.constantFrom(...JOBS);

const stepArbitrary = fc.oneof(
  fc.record({ do: fc.constant('generate' as const), job, how: fc.constantFrom(...STARTS) }),
  fc.record({ do: fc.constant('cancel' as const), job }),
  fc.record({ do: fc.constant('begin' as const), pick }),
  fc.record({ do: fc.constant('end' as const), pick, how: fc.constantFrom(...ENDS) }),
  fc.record({ do: fc.constant('deliver' as const), pick }),
  fc.record({ do: fc.constant('reconcile' as const) }),
  fc.record({ do: fc.constant('beat' as const) }),
  fc.record({ do: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 180 }) }),
);
type Step = typeof stepArbitrary extends fc.Arbitrary<infer T> ? T : never;

async function take(world: ComputeWorld, step: Step): Promise<void> {
  if (step.do === 'generate') await world.generate(step.job, step.how);
  else if (step.do === 'cancel') await world.cancel(step.job);
  else if (step.do === 'begin') await world.begin(step.pick);
  else if (step.do === 'end') await world.end(step.pick, step.how);
  else if (step.do === 'deliver') await world.deliver(step.pick);
  else if (step.do === 'reconcile') await world.reconcile();
  else if (step.do === 'beat') await world.beat();
  else world.now += step.seconds * 1000;
}

async function checkAlways(world: ComputeWorld): Promise<void> {
  const [slots, active] = [await world.jobs.slots(), await world.active()];
  expect(slots.length).toBeLessThanOrEqual(MAX_RUNNING);
  expect(slots).toEqual(expect.arrayContaining(active));
  expect(new Set(world.running()).size).toBe(world.running().length);
}

/** What holds right after a reconciliation, whatever came before: a slot is an active job's, or a request's under way. */
async function checkReconciled(world: ComputeWorld): Promise<void> {
  const known = new Set([...(await world.active()), ...(await world.pending(PENDING_MS))]);
  expect((await world.jobs.slots()).filter((slot) => !known.has(slot))).toEqual([]);
}

/** When requests and processes have had their time, the slots are the jobs alive, no more and no fewer. */
async function checkSettled(world: ComputeWorld): Promise<void> {
  world.now += DEFAULT_LIMITS.submitGraceMs + 1;
  await world.beat();
  await world.reconcile();
  const slots = await world.jobs.slots();
  expect(slots).toEqual(world.alive());
  expect(slots).toEqual(await world.active());
}

describe('reconcileAttempts', () => {
  it('of 1,000 random sequences of faults, events old and doubled, and reconciliations, each ends with the slots of the jobs alive', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stepArbitrary, { minLength: 1, maxLength: 60 }), async (steps) => {
        const world = new ComputeWorld();
        try {
          for (const id of JOBS) await world.upload(id);
          for (const step of steps) {
            await take(world, step);
            await checkAlways(world);
            if (step.do === 'reconcile') await checkReconciled(world);
          }
          await checkSettled(world);
        } finally {
          world.close();
        }
      }),
      { numRuns: 1000, seed: 20_261_104 },
    );
  });

  it('fails an attempt that waits for a machine too long, and frees its slot', async () => {
    const world = new ComputeWorld();
    await world.upload('a');
    await world.generate('a', 'well');
    world.now += DEFAULT_LIMITS.startLimitMs + 1;
    await world.reconcile();
    expect(await world.jobs.find('a')).toMatchObject({ state: 'failed', error: { code: 'no_compute' } });
    expect([await world.jobs.slots(), world.alive()]).toEqual([[], []]);
    world.close();
  });

  it('lets a failed job be started again, and the news of its first attempt leaves the second alone', async () => {
    const world = new ComputeWorld();
    await world.upload('a');
    await world.generate('a', 'well');
    await world.begin(0);
    await world.end(0, 'crash');
    await world.deliver(0);
    expect((await world.jobs.find('a'))?.state).toBe('failed');
    await world.generate('a', 'well');
    for (let i = 0; i < 5; i++) await world.deliver(i);
    expect(await world.jobs.find('a')).toMatchObject({ state: 'started', attempt: 2 });
    expect(await world.jobs.slots()).toEqual(['a#2']);
    world.close();
  });
});

describe('judgeAttempt', () => {
  const at = Date.parse('2026-11-03T09:00:00Z');
  const started = { startedAt: '2026-11-03T09:00:00Z' };
  const judge = (view: Parameters<typeof judgeAttempt>[1], ms: number) =>
    judgeAttempt(started, view, at + ms, DEFAULT_LIMITS);

  it('leaves one alone that runs, however long', () => {
    expect(judge({ phase: 'running' }, 1e9)).toBeUndefined();
  });

  it('gives a submission its time to be seen', () => {
    expect(judge({ phase: 'absent' }, DEFAULT_LIMITS.submitGraceMs)).toBeUndefined();
    expect(judge({ phase: 'absent' }, DEFAULT_LIMITS.submitGraceMs + 1)).toBe(VANISHED);
  });

  it('counts the wait for a machine from the end of the run before', () => {
    const ms = 2 * DEFAULT_LIMITS.startLimitMs;
    expect(judge({ phase: 'waiting', since: at + ms - 1000 }, ms)).toBeUndefined();
    expect(judge({ phase: 'waiting', since: at }, ms)).toBe(NO_COMPUTE);
  });
});
