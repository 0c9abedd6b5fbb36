import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type GenerateRequestBody,
  generateRequestSchema,
  sampleRequestSchema,
} from '../../../packages/contract/requests.ts';
import { eraseJob } from '../../../service/job/endJob.ts';
import { INTERNAL_ERROR } from '../../../service/job/failures.ts';
import type { Job } from '../../../service/job/job.ts';
import { ledgerKey, modelKey, readObject } from '../../../service/job/objectKeys.ts';
import { repeatJob } from '../../../service/job/repeatJob.ts';
import { startJob, startSample } from '../../../service/job/startJob.ts';
import { uploadFile } from '../../../service/job/uploadFile.ts';
import { bytesOf } from '../../support/bytes.ts';
import { METRICS, RECEIPT } from '../../support/jobFixtures.ts';
import { localService, type TestService } from '../../support/localService.ts';
import { profileOf } from '../../support/profiles.ts';

const ROWS = Array.from({ length: 250 }, (_, row) => `${row % 40},${row % 2 === 0 ? 'a' : 'b'}`);
const domain = { x: { min: 0, max: 50 }, c: { levels: ['a', 'b'] } };

describe('the ledger of a file', () => {
  let service: TestService;
  beforeEach(() => {
    service = localService({ profile: { ...profileOf(), rows: ROWS.length } });
    service.settings.maxUploadBytes = 10_000;
  });
  afterEach(() => service.close());

  const upload = async (rows = ROWS, key = 'key-1') => {
    const file = { name: 'a.csv', bytes: bytesOf(['x,c', ...rows].join('\n')) };
    return (await uploadFile(service, key, file)).job.id;
  };
  const start = (jobId: string, epsilon: number, more: Partial<GenerateRequestBody> = {}, key = 'key-1') =>
    startJob(service, key, generateRequestSchema.parse({ job_id: jobId, privacy: { epsilon }, domain, ...more }));
  const fail = async (jobId: string) => {
    await service.jobs.freeSlot(`${jobId}#1`);
  };

  it('says what is spent and left, and adds up what several tables of the same bytes cost, whoever makes them', async () => {
    const first = await upload();
    const { privacy } = await start(first, 4);
    expect(privacy).toMatchObject({ epsilon_budget: 10, releases: 1, delta: 1e-6 });
    expect(privacy!.epsilon_spent).toBeCloseTo(4, 5);
    // Costs add up as ρ: two tables of ε 4 are less than ε 8 together.
    expect(privacy!.epsilon_left).toBeGreaterThan(6);
    await fail(first);
    const again = await upload(ROWS, 'key-2');
    const second = await start(again, 4, {}, 'key-2');
    expect(second.privacy!.epsilon_spent).toBeGreaterThan(5);
    expect(second.privacy!.epsilon_spent).toBeLessThan(8);
    await fail(again);
    await start(await upload(), second.privacy!.epsilon_left);
  });

  it('refuses what is more than is left, says how much is, and leaves the job as it was', async () => {
    const first = await upload();
    await start(first, 10);
    await fail(first);
    const second = await upload();
    await expect(start(second, 0.1)).rejects.toMatchObject({
      code: 'invalid_parameter',
      field: 'privacy.epsilon',
      params: { reason: 'privacy_budget_spent', epsilon: 0.1, left: 0, budget: 10, releases: 1 },
    });
    expect((await service.jobs.find(second))?.state).toBe('uploaded');
    expect((await service.jobs.find(first))?.request).toMatchObject({
      continuous_cols: ['x'],
      categorical_cols: ['c'],
    });
  });

  it('takes a file with one row changed for another source', async () => {
    const first = await upload();
    await start(first, 10);
    await fail(first);
    const { privacy } = await start(await upload([...ROWS.slice(1), '49,b']), 10);
    expect(privacy!.releases).toBe(1);
  });

  /** A job that is done, with the measurements that more rows are drawn from. */
  const done = async (epsilon: number) => {
    const id = await upload();
    await start(id, epsilon);
    await service.jobs.run(id, 1);
    await service.jobs.finish(id, 1, METRICS, RECEIPT, service.clock.now().toISOString());
    await service.objects.put(modelKey(id, 1), bytesOf('{}'));
    await fail(id);
    return (await service.jobs.find(id))!;
  };
  const entriesOf = async ({ fileSha256 }: Job): Promise<unknown[]> => {
    const found = await readObject(service.objects, ledgerKey(fileSha256!));
    return JSON.parse(new TextDecoder().decode(found)).entries;
  };

  it('charges nothing for more rows of a table, as many as are asked for', async () => {
    const source = await done(10);
    for (const rows of [10, 1000]) await startSample(service, source, sampleRequestSchema.parse({ rows }));
    expect(await entriesOf(source)).toHaveLength(1);
  });

  it('outlives the job, and holds for a copy of it', async () => {
    const source = await done(10);
    const copy = await repeatJob(service, source);
    await expect(start(copy.id, 1)).rejects.toMatchObject({ params: { reason: 'privacy_budget_spent' } });
    await eraseJob(service, source.keyId, source.id);
    await expect(start(await upload(), 1)).rejects.toMatchObject({ params: { reason: 'privacy_budget_spent' } });
  });

  it('charges a job anew that has failed and is started again', async () => {
    const id = await upload();
    await start(id, 4);
    await service.jobs.fail(id, 1, INTERNAL_ERROR, service.clock.now().toISOString());
    await fail(id);
    expect((await start(id, 4)).privacy).toMatchObject({ releases: 2 });
  });

  it('gives back what a start cost that came to nothing', async () => {
    const { submit } = service.queue;
    service.queue.submit = async () => {
      throw new Error('no process');
    };
    const id = await upload();
    await expect(start(id, 9)).rejects.toThrow('no process');
    service.queue.submit = submit;
    expect((await start(id, 9)).privacy).toMatchObject({ releases: 1 });
  });

  it('gives back nothing but its own, where another start was charged meanwhile', async () => {
    const { submit } = service.queue;
    service.queue.submit = async () => {
      const key = ledgerKey((await service.jobs.find(id))!.fileSha256!);
      const { entries } = JSON.parse(new TextDecoder().decode(await readObject(service.objects, key)));
      const another = { ...entries[0], job_id: 'another' };
      await service.objects.put(key, bytesOf(JSON.stringify({ entries: [...entries, another] })));
      throw new Error('no process');
    };
    const id = await upload();
    await expect(start(id, 2)).rejects.toThrow('no process');
    service.queue.submit = submit;
    expect((await start(id, 2)).privacy).toMatchObject({ releases: 2 });
  });

  it('lets one of two starts at once have what is left', async () => {
    const [a, b] = [await upload(), await upload()];
    const both = await Promise.allSettled([start(a, 8), start(b, 8)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
