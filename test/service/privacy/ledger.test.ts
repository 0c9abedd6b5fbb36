import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { utils, write } from 'xlsx';
import { openDatabase } from '../../../adapters/local/database.ts';
import { openStores } from '../../../adapters/local/openStores.ts';
import { MAX_RELEASES_PER_FILE } from '../../../packages/contract/privacy.ts';
import {
  type GenerateRequestBody,
  generateRequestSchema,
  sampleRequestSchema,
} from '../../../packages/contract/requests.ts';
import { rhoOf } from '../../../packages/numerics/privacy/accounting.ts';
import { decodeProfile } from '../../../packages/tables/profile/profile.ts';
import { cancelJob, eraseJob } from '../../../service/job/endJob.ts';
import { INTERNAL_ERROR } from '../../../service/job/failures.ts';
import { modelKey, olderLedgerKey, profileKey, readObject, rowSamplesPrefix } from '../../../service/job/objectKeys.ts';
import { repeatJob } from '../../../service/job/repeatJob.ts';
import { startJob, startSample } from '../../../service/job/startJob.ts';
import { uploadFile } from '../../../service/job/uploadFile.ts';
import type { Charge } from '../../../service/privacy/charges.ts';
import { ledgerOf } from '../../../service/privacy/ledger.ts';
import type { Service } from '../../../service/service.ts';
import { bytesOf } from '../../support/bytes.ts';
import { METRICS, RECEIPT } from '../../support/jobFixtures.ts';
import { localService, type TestService } from '../../support/localService.ts';
import { realReader } from '../../support/realReader.ts';
import { makeSmallDisk } from '../../support/smallDisk.ts';

const ROWS = Array.from({ length: 250 }, (_, row) => `${row},${row % 2 === 0 ? 'a' : 'b'}`);
const domain = { x: { min: 0, max: 2000 }, c: { levels: ['a', 'b'] } };

let service: TestService;
beforeEach(() => {
  service = localService({ reader: realReader });
  service.settings.maxUploadBytes = 100_000;
});
afterEach(() => service.close());

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const csvOf = (rows: readonly string[]): string => ['x,c', ...rows].join('\n');
const uploadBytes = async (bytes: Uint8Array, key = 'key-1', name = 'a.csv') =>
  (await uploadFile(service, key, { name, bytes: once(bytes) })).job.id;
const upload = (rows: readonly string[] = ROWS, key = 'key-1') => uploadBytes(Buffer.from(csvOf(rows)), key);
const requestOf = (jobId: string, epsilon: number, more: Partial<GenerateRequestBody> = {}) =>
  generateRequestSchema.parse({ job_id: jobId, privacy: { epsilon }, domain, ...more });
const start = (jobId: string, epsilon: number, more: Partial<GenerateRequestBody> = {}, key = 'key-1') =>
  startJob(service, key, requestOf(jobId, epsilon, more));
/** Its process reads cells from here on. */
const run = async (jobId: string, attempt = 1) => expect(await service.jobs.run(jobId, attempt)).toBe(true);
/** Ends it after it ran, so that it stays charged and its slot is free. */
const spend = async (jobId: string, epsilon: number, more: Partial<GenerateRequestBody> = {}, key = 'key-1') => {
  const { privacy } = await start(jobId, epsilon, more, key);
  await run(jobId);
  await service.jobs.fail(jobId, 1, INTERNAL_ERROR, service.clock.now().toISOString());
  await service.jobs.freeSlot(`${jobId}#1`);
  return privacy!;
};

const ledgerIdOf = async (jobId: string): Promise<string> => {
  const profile = decodeProfile((await readObject(service.objects, profileKey(jobId)))!);
  return ledgerOf((await service.jobs.find(jobId))!.keyId, profile.row_digest!.table);
};
const chargesOf = async (jobId: string): Promise<readonly Charge[]> =>
  (await service.jobs.ledger(await ledgerIdOf(jobId))).charges;

describe('the budget of a table', () => {
  it('says what is spent and left, and adds up what several tables of the same rows cost', async () => {
    const privacy = await spend(await upload(), 4);
    expect(privacy).toMatchObject({ epsilon_budget: 10, releases: 1, delta: 1e-6 });
    expect(privacy.epsilon_spent).toBeCloseTo(4, 5);
    // Costs add up as ρ: two tables of ε 4 are less than ε 8 together.
    expect(privacy.epsilon_left).toBeGreaterThan(6);
    const second = await spend(await upload(), 4);
    expect(second.epsilon_spent).toBeGreaterThan(5);
    expect(second.epsilon_spent).toBeLessThan(8);
    await start(await upload(), second.epsilon_left);
  });

  it('refuses what is more than is left, says how much is, and leaves the job as it was', async () => {
    await spend(await upload(), 10);
    const second = await upload();
    await expect(start(second, 0.1)).rejects.toMatchObject({
      code: 'invalid_parameter',
      field: 'privacy.epsilon',
      params: { reason: 'privacy_budget_spent', epsilon: 0.1, left: 0, budget: 10, releases: 1 },
    });
    expect((await service.jobs.find(second))?.state).toBe('uploaded');
    expect(await chargesOf(second)).toHaveLength(1);
  });

  it.each([1e-12, 1e-9, 1e-6, 1e-3])(
    'grants what it says is left, and no more, after a table of δ %d',
    async (delta) => {
      await spend(await upload(), 3, { privacy: { epsilon: 3, delta } });
      for (const asked of [1e-12, 1e-6, 1e-3]) {
        const id = await upload();
        const refused = await start(id, 10, { privacy: { epsilon: 10, delta: asked } }).catch((error) => error);
        const { left } = refused.params;
        expect(left).toBeGreaterThan(0);
        expect(left).toBeLessThan(10);
        const more = { privacy: { epsilon: left + 0.011, delta: asked } };
        await expect(start(id, 1, more)).rejects.toMatchObject({ params: { reason: 'privacy_budget_spent', left } });
        await start(id, 1, { privacy: { epsilon: left, delta: asked } });
        await cancelJob(service, 'key-1', id);
      }
    },
  );

  it('is not that of another key with the same file: neither is refused or told of the other', async () => {
    await spend(await upload(), 10);
    const other = await spend(await upload(ROWS, 'key-2'), 10, {}, 'key-2');
    expect(other).toMatchObject({ releases: 1, epsilon_left: 0 });
    expect(other.shared_rows).toBeUndefined();
  });

  it('is one for all files of the same rows', async () => {
    const id = await upload();
    await spend(id, 10);
    const book = utils.book_new();
    const cells = [['x', 'c'], ...ROWS.map((row) => [Number(row.split(',')[0]), row.split(',')[1]])];
    utils.book_append_sheet(book, utils.aoa_to_sheet(cells), 'a');
    const workbook: Uint8Array = write(book, { type: 'buffer', bookType: 'xlsx' });
    const files: [Uint8Array, string?][] = [
      [Buffer.from(`${csvOf(ROWS)}\n`)],
      [Buffer.from(csvOf([...ROWS].reverse()))],
      [Buffer.from(['c;x', ...ROWS.map((row) => row.split(',').reverse().join(';'))].join('\r\n'))],
      [workbook, 'a.xlsx'],
    ];
    for (const [bytes, name] of files) {
      const again = await uploadBytes(bytes, 'key-1', name);
      await expect(start(again, 1)).rejects.toMatchObject({ params: { reason: 'privacy_budget_spent' } });
    }
  });

  it('takes a table with one row changed for another one', async () => {
    await spend(await upload(), 10);
    expect((await start(await upload([...ROWS.slice(1), '49,b']), 10)).privacy!.releases).toBe(1);
  });

  it('outlives the job, and holds for a copy of it', async () => {
    const id = await upload();
    await spend(id, 10);
    const copy = await repeatJob(service, (await service.jobs.find(id))!);
    await expect(start(copy.id, 1)).rejects.toMatchObject({ params: { reason: 'privacy_budget_spent' } });
    await eraseJob(service, 'key-1', id);
    await expect(start(await upload(), 1)).rejects.toMatchObject({ params: { reason: 'privacy_budget_spent' } });
  });

  it('ends with the table of a limit, however little each one costs', async () => {
    const id = await upload();
    await spend(id, 0.001);
    const [first] = await chargesOf(id);
    const charges = Array.from({ length: MAX_RELEASES_PER_FILE }, (_, at) => ({ ...first!, id: `c${at}` }));
    const database = openDatabase(service.folder);
    database.prepare('UPDATE ledgers SET charges = ?').run(JSON.stringify(charges));
    database.close();
    await expect(start(await upload(), 0.001)).rejects.toMatchObject({
      params: { reason: 'privacy_releases_spent', max: MAX_RELEASES_PER_FILE },
    });
  });

  it.each([0, 1e-300, 9.9e-13, 1, Number.NaN])('refuses a δ of %d in words', (delta) => {
    const { error } = generateRequestSchema.safeParse({ job_id: 'a', privacy: { epsilon: 1, delta }, domain });
    expect(error?.issues).toMatchObject([
      { path: ['privacy', 'delta'], message: 'must be a number from 1e-12 to below 1, such as 0.000001' },
    ]);
  });
});

describe('what is charged', () => {
  it('is nothing for more rows of a table, as many as are asked for', async () => {
    const id = await upload();
    await start(id, 10);
    await run(id);
    await service.jobs.finish(id, 1, METRICS, RECEIPT, service.clock.now().toISOString());
    await service.objects.put(modelKey(id, 1), bytesOf('{}'));
    await service.jobs.freeSlot(`${id}#1`);
    const source = (await service.jobs.find(id))!;
    for (const rows of [10, 1000]) await startSample(service, source, sampleRequestSchema.parse({ rows }));
    expect(await chargesOf(id)).toHaveLength(1);
  });

  it('is a job anew that ran and failed, and is started again', async () => {
    const id = await upload();
    await spend(id, 4);
    expect((await start(id, 4)).privacy).toMatchObject({ releases: 2 });
    expect(await chargesOf(id)).toMatchObject([{ attempt: 1 }, { attempt: 2 }]);
  });

  it('is given back where nothing could be measured: not submitted, cancelled before it ran, or erased', async () => {
    const { submit } = service.queue;
    const id = await upload();
    service.queue.submit = async () => {
      throw new Error('no process');
    };
    await expect(start(id, 9)).rejects.toThrow('no process');
    service.queue.submit = submit;
    expect(await chargesOf(id)).toEqual([]);
    expect((await start(id, 9)).privacy).toMatchObject({ releases: 1 });
    await cancelJob(service, 'key-1', id);
    expect(await chargesOf(id)).toEqual([]);
    const ledger = await ledgerIdOf(id);
    await start(id, 9);
    await eraseJob(service, 'key-1', id);
    expect((await service.jobs.ledger(ledger)).charges).toEqual([]);
  });

  it('stays where a process ran, though it could not be handed over', async () => {
    const id = await upload();
    service.queue.submit = async () => {
      await run(id);
      throw new Error('the answer was lost');
    };
    await expect(start(id, 9)).rejects.toThrow('the answer was lost');
    expect(await service.jobs.find(id)).toMatchObject({ state: 'failed' });
    expect(await chargesOf(id)).toHaveLength(1);
  });

  it('is held by a job that waits, and given back where it is cancelled', async () => {
    service.settings.maxRunningJobs = 0;
    const id = await upload();
    const queued = await startJob(service, 'key-1', requestOf(id, 9), null, { queue: true });
    expect(queued).toMatchObject({ status: 'queued', privacy: { releases: 1 } });
    await expect(startJob(service, 'key-1', requestOf(await upload(), 9), null, { queue: true })).rejects.toMatchObject(
      { params: { reason: 'privacy_budget_spent' } },
    );
    await cancelJob(service, 'key-1', id);
    expect(await chargesOf(id)).toEqual([]);
  });

  it('is one charge for one start that is sent 50 times at once', async () => {
    const id = await upload();
    const all = await Promise.allSettled(Array.from({ length: 50 }, () => start(id, 0.1)));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const each of all) {
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'job_conflict' });
    }
    expect(await chargesOf(id)).toHaveLength(1);
    expect(await service.jobs.find(id)).toMatchObject({ state: 'started', attempt: 1 });
  });

  it('is one charge each for 20 jobs of a table at once, as far as the budget goes', async () => {
    service.settings.maxRunningJobs = 30;
    const ids = await Promise.all(Array.from({ length: 20 }, () => upload()));
    const all = await Promise.allSettled(ids.map((id) => start(id, 3)));
    const started = all.filter(({ status }) => status === 'fulfilled').length;
    expect(started).toBe(Math.floor(rhoOf(10, 1e-6) / rhoOf(3, 1e-6)));
    expect(await chargesOf(ids[0]!)).toHaveLength(started);
  });

  it('is one charge where two servers of one folder start one job', async () => {
    const id = await upload();
    const other = openStores(service.folder);
    const second: Service = { ...service, ...other, newId: () => `other-${Math.random()}` };
    const starts = [service, second].map((each) => startJob(each, 'key-1', requestOf(id, 5)));
    const both = await Promise.allSettled(starts);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await chargesOf(id)).toHaveLength(1);
    other.close();
  });

  it('does not depend on the clock', async () => {
    await spend(await upload(), 4);
    service.clock.forward(-1000);
    const id = await upload();
    expect(await spend(id, 4)).toMatchObject({ releases: 2 });
    await expect(start(await upload(), 9)).rejects.toMatchObject({ params: { reason: 'privacy_budget_spent' } });
    expect((await chargesOf(id)).map(({ at }) => at)).toEqual([
      '2026-11-03T09:00:00.000Z',
      expect.stringMatching(/^2026-09/),
    ]);
  });

  it('is nothing, and nothing is started, where the ledger cannot be written', async () => {
    const id = await upload();
    await spend(await upload(), 1);
    const database = openDatabase(service.folder);
    database.exec(`CREATE TRIGGER refused BEFORE UPDATE ON ledgers BEGIN SELECT RAISE(ABORT, 'refused'); END`);
    await expect(start(id, 1)).rejects.toThrow('refused');
    database.exec('DROP TRIGGER refused');
    database.close();
    expect(await service.jobs.find(id)).toMatchObject({ state: 'uploaded', attempt: 0 });
    expect(await service.jobs.slots()).toEqual([]);
    expect(await chargesOf(id)).toHaveLength(1);
    await start(id, 1);
  });

  it('is nothing, and nothing is started, on a full disk', async ({ skip }) => {
    const disk = makeSmallDisk(8);
    const stores = openStores(disk.path);
    try {
      skip(!disk.mounted, 'this user may not mount a small disk');
      const full: Service = { ...service, ...stores };
      const file = { name: 'a.csv', bytes: once(Buffer.from(csvOf(ROWS))) };
      const { id } = (await uploadFile(full, 'key-1', file)).job;
      disk.fill();
      await expect(startJob(full, 'key-1', requestOf(id, 1))).rejects.toMatchObject({ code: 'storage_full' });
      disk.free();
      expect(await stores.jobs.find(id)).toMatchObject({ state: 'uploaded', attempt: 0 });
      const started = await startJob(full, 'key-1', requestOf(id, 1));
      expect(started.privacy).toMatchObject({ releases: 1 });
    } finally {
      stores.close();
      disk.remove();
    }
  });
});

describe('a ledger that cannot be read', () => {
  const damage = (text: string) => {
    const database = openDatabase(service.folder);
    database.prepare('UPDATE ledgers SET charges = ?').run(text);
    database.close();
  };
  const damaged = { code: 'storage_unavailable', params: { reason: 'ledger_damaged', ledger: expect.any(String) } };

  it.each(['', '[{"id":"a","job_id":"b"', '{}', '[{"id":"a"}]', 'null'])('refuses every start: %j', async (text) => {
    await spend(await upload(), 1);
    damage(text);
    const id = await upload();
    await expect(start(id, 1)).rejects.toMatchObject(damaged);
    expect((await service.jobs.find(id))?.state).toBe('uploaded');
    expect((await start(await upload([...ROWS.slice(1), '1,a']), 1)).privacy!.releases).toBe(1);
  });

  it('lets a job end that was charged in it', async () => {
    const id = await upload();
    await start(id, 1);
    damage('[{');
    await cancelJob(service, 'key-1', id);
    expect((await service.jobs.find(id))?.state).toBe('failed');
  });

  it('is found to be so where version 0.2 wrote it', async () => {
    const id = await upload();
    const { fileSha256 } = (await service.jobs.find(id))!;
    await service.objects.put(olderLedgerKey(fileSha256!), bytesOf('{"entries":[{"epsilon":4,'));
    await expect(start(id, 1)).rejects.toMatchObject(damaged);
  });
});

describe('ledgers of version 0.2', () => {
  const older = async (jobId: string, entries: unknown[]) => {
    const { fileSha256 } = (await service.jobs.find(jobId))!;
    const folder = join(service.folder, 'objects', 'privacy');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${fileSha256}.json`), JSON.stringify({ entries }));
  };
  const entry = { job_id: 'old', attempt: 1, epsilon: 8, delta: 1e-6, rho: rhoOf(8, 1e-6), at: '2026-10-01T00:00:00Z' };

  it.each(['key-1', 'key-2'])('count for the owner who starts a job of that file: %s', async (key) => {
    const id = await upload(ROWS, key);
    await older(id, [entry]);
    await expect(start(id, 9, {}, key)).rejects.toMatchObject({
      params: { reason: 'privacy_budget_spent', releases: 1 },
    });
    expect((await start(id, 1, {}, key)).privacy).toMatchObject({ releases: 2 });
    expect(await chargesOf(id)).toHaveLength(1);
  });

  it('lock nobody out by a δ that is refused today', async () => {
    const id = await upload();
    await older(id, [{ ...entry, epsilon: 0.05, delta: 1e-300, rho: rhoOf(0.05, 1e-300) }]);
    expect((await start(id, 5)).privacy).toMatchObject({ releases: 2, delta: 1e-12 });
  });

  it('need the file again where a job was uploaded before rows were hashed', async () => {
    const id = await upload();
    const { row_digest: _, ...profile } = decodeProfile((await readObject(service.objects, profileKey(id)))!);
    await service.objects.put(profileKey(id), bytesOf(JSON.stringify(profile)));
    await expect(start(id, 1)).rejects.toMatchObject({
      field: 'privacy',
      params: { reason: 'upload_of_older_version' },
    });
  });
});

describe('rows of another table', () => {
  const rowsOf = (from: number, count: number) =>
    Array.from({ length: count }, (_, row) => `${from + row},${row % 2 === 0 ? 'a' : 'b'}`);

  it.each([
    { shared: 1800, told: true },
    { shared: 1200, told: true },
    { shared: 700, told: false },
    { shared: 0, told: false },
  ])('$shared of 2,000 rows used before: owner told: $told', async ({ shared, told }) => {
    const first = await upload(rowsOf(0, 2000));
    await spend(first, 1);
    const { shared_rows: found } = await spend(await upload(rowsOf(2000 - shared, 2000)), 1);
    expect(found !== undefined).toBe(told);
    if (!found) return;
    expect(found).toMatchObject({ job_id: first, at: '2026-11-03T09:00:00.000Z' });
    // 1,024 rows are compared: a standard error of 1.6 %.
    expect(Math.abs(found.share - shared / 2000)).toBeLessThan(0.07);
  });

  it('are named for a part of an earlier table, and for one with a row less', async () => {
    await spend(await upload(rowsOf(0, 2000)), 1);
    expect((await spend(await upload(rowsOf(500, 400)), 1)).shared_rows).toMatchObject({ share: 1 });
    expect((await spend(await upload(rowsOf(2, 1998)), 1)).shared_rows?.share).toBeGreaterThan(0.99);
  });

  it('are not named where the other table was never made, is another owner’s, or rows are alike by chance', async () => {
    const first = await upload();
    await start(first, 1);
    await cancelJob(service, 'key-1', first);
    expect((await spend(await upload(ROWS.slice(1)), 1)).shared_rows).toBeUndefined();
    expect((await spend(await upload(ROWS.slice(2), 'key-2'), 1, {}, 'key-2')).shared_rows).toBeUndefined();
    const coarse = (count: number) => Array.from({ length: count }, (_, row) => `${row % 10},a`);
    await spend(await upload(coarse(300)), 1);
    expect((await spend(await upload(coarse(290)), 1)).shared_rows).toBeUndefined();
  });

  it('are looked up in keyed samples that do not show the hashes of the profile', async () => {
    const id = await upload();
    await spend(id, 1);
    const keys = await service.objects.list(rowSamplesPrefix('').slice(0, -1));
    expect(keys).toHaveLength(1);
    const kept = new TextDecoder().decode(await readObject(service.objects, keys[0]!));
    const { smallest } = decodeProfile((await readObject(service.objects, profileKey(id)))!).row_digest!;
    for (const hash of smallest) expect(kept).not.toContain(hash.toString(16).padStart(12, '0'));
    await service.objects.put(keys[0]!, bytesOf('{'));
    expect((await spend(await upload(ROWS.slice(1)), 1)).shared_rows).toBeUndefined();
  });
});
