/** A process that dies before each step in turn of what changes a job; then what every start of the service does. */
import { describe, expect, it } from 'vitest';
import { generateRequestSchema, sampleRequestSchema } from '../../../packages/contract/requests.ts';
import { encodeProfile } from '../../../packages/tables/profile/profile.ts';
import { sha256Of } from '../../../service/hashing.ts';
import { CUT_OFF_MS, clearCutOff } from '../../../service/job/cutOff.ts';
import { eraseJob } from '../../../service/job/endJob.ts';
import { expireObjects } from '../../../service/job/expire.ts';
import type { Job } from '../../../service/job/job.ts';
import { modelKey, profileKey, resultKey, uploadKeys } from '../../../service/job/objectKeys.ts';
import { reconcileSlots } from '../../../service/job/reconcile.ts';
import { repeatJob } from '../../../service/job/repeatJob.ts';
import { startJob, startSample } from '../../../service/job/startJob.ts';
import { uploadFile } from '../../../service/job/uploadFile.ts';
import type { Service } from '../../../service/service.ts';
import { METRICS, RECEIPT } from '../../support/jobFixtures.ts';
import { type MemoryService, memoryService, PROFILE } from '../../support/memoryService.ts';

const KEY = 'k';
const MAX_STEPS = 40;
const AT = '2026-11-03T09:00:00Z';
const SAMPLE = sampleRequestSchema.parse({ rows: 10, seed: 4 });

async function withDone(id: string): Promise<{ service: MemoryService; job: Job }> {
  const service = memoryService();
  const { jobs, objects } = service;
  await jobs.create({
    id,
    keyId: KEY,
    fileName: 't.csv',
    fileBytes: 9,
    fileSha256: sha256Of(Buffer.from('{}')),
    createdAt: AT,
  });
  for (const key of [...uploadKeys(id), modelKey(id, 1), resultKey(id, 1)]) await objects.put(key, Buffer.from('{}'));
  await objects.put(profileKey(id), encodeProfile(PROFILE).profile);
  await jobs.start(id, 1, generateRequestSchema.parse({ job_id: id, target_col: 'x', seed: 1 }), AT);
  await jobs.run(id, 1);
  await jobs.finish(id, 1, METRICS, RECEIPT, AT);
  return { service, job: service.records.get(id)! };
}

/** The same service in a process that dies at the `steps`th thing that it would change. */
function dying(service: MemoryService, steps: number): Service {
  const READS = ['find', 'list', 'times', 'get', 'slots'];
  let left = steps;
  const mortal = <T extends object>(port: T): T =>
    new Proxy(port, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return async (...given: unknown[]) => {
          if (!READS.includes(String(name))) left -= 1;
          if (left <= 0) throw new Error('killed');
          return Reflect.apply(value, target, given);
        };
      },
    });
  const { jobs, objects, callbacks, queue } = service;
  return {
    ...service,
    jobs: mortal(jobs),
    objects: mortal(objects),
    callbacks: mortal(callbacks),
    queue: mortal(queue),
  };
}

/** What a start of the service does, and every ten minutes, an hour and more after. */
async function recover(service: MemoryService): Promise<void> {
  service.clock.now = () => new Date(Date.parse(AT) + 2 * CUT_OFF_MS);
  await clearCutOff(service);
  await reconcileSlots(service, new Map());
  await expireObjects(service);
}

/** Files and records of a service, and its slots. */
const standing = async ({ files, records, jobs }: MemoryService) => ({
  files: [...files.keys()].sort(),
  records: [...records].map(([id, { state }]) => `${id} ${state}`).sort(),
  slots: await jobs.slots(),
});

/** Dies at every step in turn, until it lives to the end; gives how often it died. */
async function dieAtEachStep(
  make: () => Promise<MemoryService>,
  work: (service: Service) => Promise<unknown>,
  look: (service: MemoryService, isDone: boolean) => Promise<void>,
): Promise<number> {
  for (let steps = 1; ; steps++) {
    const service = await make();
    const isDone = await work(dying(service, steps)).then(
      () => true,
      (error: unknown) => {
        if (steps > MAX_STEPS) throw error;
        return false;
      },
    );
    await recover(service);
    await look(service, isDone);
    if (isDone) return steps - 1;
  }
}

const upload = async (service: Service): Promise<void> => {
  async function* bytes() {
    yield Buffer.from('x,c\n1,a\n');
  }
  await uploadFile(service, KEY, { name: 't.csv', bytes: bytes() });
};

describe('where the service is killed', () => {
  it('while it takes an upload, there is a whole job or nothing', async () => {
    const deaths = await dieAtEachStep(
      async () => memoryService(),
      upload,
      async (service, isDone) => {
        const [id] = service.records.keys();
        const found = await standing(service);
        expect(found.files).toEqual(id === undefined ? [] : uploadKeys(id).sort());
        if (isDone) expect(id).toBeDefined();
      },
    );
    expect(deaths).toBeGreaterThan(4);
  });

  it('while it repeats a job, there is a whole job more or nothing', async () => {
    const make = async () => (await withDone('a')).service;
    const before = await standing(await make());
    const repeat = async (service: Service) => repeatJob(service, (await service.jobs.find('a'))!);
    const deaths = await dieAtEachStep(make, repeat, async (service, isDone) => {
      const [, id] = service.records.keys();
      const more = id === undefined ? [] : uploadKeys(id);
      expect((await standing(service)).files).toEqual([...before.files, ...more].sort());
      if (isDone) expect(id).toBeDefined();
    });
    expect(deaths).toBeGreaterThan(4);
  });

  it('while it erases a job, its samples with it, it is whole or nothing is left of it', async () => {
    const make = async () => {
      const { service, job } = await withDone('a');
      const { jobId } = await startSample(service, job, SAMPLE);
      await service.objects.put(resultKey(jobId, 1), Buffer.from('{}'));
      return service;
    };
    const before = await standing(await make());
    const deaths = await dieAtEachStep(
      make,
      (service) => eraseJob(service, KEY, 'a'),
      async (service, isDone) => {
        const found = await standing(service);
        if (isDone || found.files.length === 0) expect(found).toEqual({ files: [], records: [], slots: [] });
        else expect([found.files.length, found.records.length]).toEqual([before.files.length, before.records.length]);
      },
    );
    expect(deaths).toBeGreaterThan(10);
  });

  it('while it starts a sample, the sample is started or there is nothing of it', async () => {
    const make = async () => (await withDone('a')).service;
    const before = await standing(await make());
    const start = async (service: Service) => startSample(service, (await service.jobs.find('a'))!, SAMPLE);
    const deaths = await dieAtEachStep(make, start, async (service, isDone) => {
      const found = await standing(service);
      if (found.records.length === 1) expect(found).toEqual(before);
      else expect(found.records.filter((each) => each.endsWith(' started'))).toHaveLength(1);
      if (isDone) expect(found.slots.length).toBe(1);
    });
    expect(deaths).toBeGreaterThan(3);
  });

  it('while it starts a job, a slot is held only by a job that was started', async () => {
    const make = async () => {
      const { service, job } = await withDone('a');
      service.records.set('a', { ...job, state: 'failed' });
      return service;
    };
    const request = generateRequestSchema.parse({ job_id: 'a', target_col: 'x', allow_few_rows: true });
    const start = (service: Service) => startJob(service, KEY, request, 'https://example.org/called');
    const deaths = await dieAtEachStep(make, start, async (service) => {
      const pending = new Map([['a#2', 0]]);
      await reconcileSlots(service, pending);
      const { state } = service.records.get('a')!;
      expect(await service.jobs.slots()).toEqual(state === 'started' ? ['a#2'] : []);
    });
    expect(deaths).toBeGreaterThan(2);
  });
});

describe('clearCutOff', () => {
  it('leaves alone what may still be under way', async () => {
    const service = memoryService();
    await upload(dying(service, 3)).catch(() => undefined);
    const before = await standing(service);
    expect(before.files.length).toBeGreaterThan(0);
    service.clock.now = () => new Date(CUT_OFF_MS - 1);
    await clearCutOff(service);
    expect(await standing(service)).toEqual(before);
    service.clock.now = () => new Date(CUT_OFF_MS);
    await clearCutOff(service);
    expect(await standing(service)).toMatchObject({ files: [] });
  });
});
