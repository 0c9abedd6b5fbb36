/** The slot set under requests, runs and reconcilers that interleave at every single call of a port. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eraseJob } from '../../../service/job/endJob.ts';
import { slotOf } from '../../../service/job/job.ts';
import { reconcileSlots } from '../../../service/job/reconcile.ts';
import { startJob } from '../../../service/job/startJob.ts';
import { startWaiting } from '../../../service/job/startWaiting.ts';
import type { JobStore, ObjectStore } from '../../../service/ports.ts';
import type { Service } from '../../../service/service.ts';
import { METRICS, newJob, RECEIPT, requestFor } from '../../support/jobFixtures.ts';
import { chunksOf, localService, type TestService } from '../../support/localService.ts';
import { profileOf } from '../../support/profiles.ts';

const JOBS = 5;

/** The store, each of whose calls waits for its turn; after each, the invariants are looked at. */
function interleaved(jobs: JobStore, scheduler: fc.Scheduler, check: () => Promise<void>): JobStore {
  return new Proxy(jobs, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]) => {
        await scheduler.schedule(Promise.resolve(), String(name));
        const result: unknown = await method.apply(target, args);
        await check();
        return result;
      };
    },
  });
}

async function checkSlots({ jobs }: Service): Promise<void> {
  const [slots, active] = [await jobs.slots(), await jobs.active()];
  expect(slots.length).toBeLessThanOrEqual(3);
  expect(active.length).toBeLessThanOrEqual(3);
  for (const job of active) expect(slots).toContain(slotOf(job.id, job.attempt));
}

/** The profile from memory: with a disk to wait for, everybody else would be done before the first slot is taken. */
const PROFILE_BYTES = new TextEncoder().encode(JSON.stringify(profileOf()));
const inMemory = (objects: ObjectStore): ObjectStore => ({
  put: (key, body) => objects.put(key, body),
  list: (prefix) => objects.list(prefix),
  times: (prefix) => objects.times(prefix),
  get: async () => ({ bytes: PROFILE_BYTES.length, body: chunksOf(new TextDecoder().decode(PROFILE_BYTES)) }),
  erase: async () => {},
});

/** What an actor does, and whether it dies before it could give anything back. */
const actorArbitrary = fc.record({
  job: fc.nat(JOBS - 1),
  act: fc.constantFrom(
    'start',
    'start',
    'queue',
    'queue',
    'turn',
    'run',
    'run',
    'erase',
    'reconcile',
    'reconcile',
    'refused',
    'dies',
  ),
});

async function act(service: Service, id: string, what: string): Promise<void> {
  const at = '2026-11-03T10:00:00.000Z';
  if (what === 'erase') return eraseJob(service, 'key-1', id);
  if (what === 'reconcile') {
    for (let round = 0; round < 3; round++) await reconcileSlots(service, new WaitedForEver());
    return;
  }
  if (what === 'turn') return startWaiting(service);
  if (what === 'dies') return void (await service.jobs.takeSlot(slotOf(id, 1), 3));
  if (what === 'run') {
    const attempt = (await service.jobs.find(id))?.attempt ?? 0;
    if (await service.jobs.run(id, attempt)) await service.jobs.finish(id, attempt, METRICS, RECEIPT, at);
    return service.jobs.freeSlot(slotOf(id, attempt));
  }
  const submit = async () => Promise.reject(new Error('no process'));
  const { queue } = service;
  const own = what === 'refused' ? { ...service, queue: { ...queue, submit } } : service;
  await startJob(own, 'key-1', requestFor(id), null, { queue: what === 'queue' });
}

/** As if every slot had waited since ever: this reconciler frees slots of requests that are still on their way. */
class WaitedForEver extends Map<string, number> {
  override get(): number {
    return 0;
  }
}

const CRASHED = { code: 'crashed', params: { reason: 'process_crashed', how: 'code 1' } } as const;

/** Ends what is active until nobody waits; after that and the grace of a request that died, no slot may be held. */
async function settle(service: TestService): Promise<void> {
  const pending = new Map<string, number>();
  for (let round = 0; round < JOBS; round++) {
    for (const { id, attempt } of await service.jobs.active()) {
      await service.jobs.fail(id, attempt, CRASHED, service.clock.now().toISOString());
    }
    await reconcileSlots(service, pending);
    service.clock.forward(1);
    await reconcileSlots(service, pending);
    if (round < JOBS - 1) await startWaiting(service);
  }
  expect((await service.jobs.line()).jobs).toEqual([]);
  expect(await service.jobs.slots()).toEqual([]);
  expect(new Set(service.submitted).size).toBe(service.submitted.length);
}

it('never admits a fourth, starts none twice and never loses a slot or one that waits, however requests, runs and reconcilers interleave', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(actorArbitrary, { minLength: 6, maxLength: 14 }),
      async (scheduler, actors) => {
        const service = localService();
        try {
          const ids: string[] = [];
          for (let i = 0; i < JOBS; i++) {
            ids.push(`job-${i}`);
            await service.jobs.create(newJob(`job-${i}`));
          }
          const watched = {
            ...service,
            jobs: interleaved(service.jobs, scheduler, () => checkSlots(service)),
            objects: inMemory(service.objects),
          };
          const acts = actors.map(({ job, act: what }) => act(watched, ids[job]!, what));
          const outcomes = Promise.allSettled(acts);
          await scheduler.waitFor(outcomes);
          for (const outcome of await outcomes) {
            if (outcome.status === 'rejected') expect(String(outcome.reason)).not.toContain('AssertionError');
          }
          await checkSlots(service);
          await settle(service);
        } finally {
          service.close();
        }
      },
    ),
    { numRuns: 50, seed: 20_261_103 },
  );
});
