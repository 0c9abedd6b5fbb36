import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../adapters/local/database.ts';
import { fileVault } from '../../../adapters/local/keyFiles.ts';
import { isGone, LEASE_MS, Leases, type ProcessIdentity, thisProcess } from '../../../adapters/local/leases.ts';
import { SqliteCallbackStore } from '../../../adapters/local/sqliteCallbackStore.ts';
import { SqliteJobStore } from '../../../adapters/local/sqliteJobStore.ts';
import { slotOf } from '../../../service/job/job.ts';
import { AT, eventOf, METRICS, newJob, RECEIPT, requestFor } from '../../support/jobFixtures.ts';
import { saying } from '../../support/problems.ts';
import { makeFolder } from '../../support/temporaryFolder.ts';

const { pid: deadPid } = spawnSync(process.execPath, ['-e', '']);
/** Process 1 lives on every system. */
const living: ProcessIdentity = { ...thisProcess, instance: 'living', pid: 1 };
const dead: ProcessIdentity = { ...thisProcess, instance: 'dead', pid: deadPid };
const restarted: ProcessIdentity = { ...thisProcess, instance: 'before the restart' };
const elsewhere: ProcessIdentity = { ...dead, host: 'another host' };

const NOTHING = { restarted: [], ended: [] };

describe('leases', () => {
  let folder: { path: string; remove(): void };
  let database: Database;
  let leases: Leases;
  beforeEach(() => {
    folder = makeFolder();
    database = openDatabase(folder.path);
    leases = new Leases(database);
  });
  afterEach(() => {
    database.close();
    folder.remove();
  });

  async function startedBy(owner: ProcessIdentity, id = 'a'): Promise<SqliteJobStore> {
    const jobs = new SqliteJobStore(database, owner);
    await jobs.create(newJob(id));
    await jobs.takeSlot(slotOf(id, 1), 100);
    await jobs.start(id, 1, requestFor(id), AT);
    return jobs;
  }

  it('an attempt whose server is gone is started again at once, as the next one, with its slot and its callback', async () => {
    const jobs = await startedBy(dead);
    const callbacks = new SqliteCallbackStore(database, fileVault(folder.path));
    await callbacks.enqueue({ jobId: 'a', attempt: 1, keyId: 'key-1', url: 'https://example.org/' }, AT);
    await jobs.run('a', 1);
    await jobs.addEvents('a', 1, [eventOf(1)]);
    const before = await jobs.find('a');
    expect(leases.recover(Date.now())).toEqual({ restarted: [{ jobId: 'a', attempt: 2 }], ended: [] });
    expect(await jobs.find('a')).toEqual({ ...before, state: 'started', attempt: 2, progress: [] });
    expect(await jobs.slots()).toEqual([slotOf('a', 2)]);
    expect(await callbacks.find('a')).toMatchObject({ attempt: 2, state: 'waiting' });
    // What is left of its process can write no more.
    expect(await jobs.finish('a', 1, METRICS, RECEIPT, AT)).toBe(false);
    expect(leases.renew({ jobId: 'a', attempt: 2 }, Date.now())).toBe(true);
    expect(leases.recover(Date.now())).toEqual(NOTHING);
  });

  it('one that is interrupted a second time becomes failed, may be sent again, and its slot is free', async () => {
    const jobs = await startedBy(dead);
    expect(await jobs.restart('a', 1, 'here')).toBe(true);
    expect(await jobs.restart('a', 2, 'here')).toBe(false);
    expect(leases.recover(Date.now())).toEqual({ restarted: [], ended: [{ jobId: 'a', attempt: 2 }] });
    expect(await jobs.find('a')).toMatchObject({
      state: 'failed',
      error: { code: 'interrupted', params: saying('Send POST /generate again') },
      endedAt: expect.any(String),
    });
    expect(await jobs.slots()).toEqual([]);
    expect(leases.recover(Date.now())).toEqual(NOTHING);
    await jobs.takeSlot(slotOf('a', 3), 100);
    expect(await jobs.start('a', 3, requestFor('a'), AT)).toBe(true);
    expect(leases.recover(Date.now()).restarted).toEqual([{ jobId: 'a', attempt: 4 }]);
  });

  it('so is one of a server that had this very process id before it was restarted', async () => {
    const jobs = await startedBy(restarted);
    await jobs.run('a', 1);
    expect(leases.recover(Date.now()).restarted).toHaveLength(1);
  });

  it.each([
    ['of a living process', living],
    ['of this process', thisProcess],
    ['of another host, whose processes cannot be seen', elsewhere],
  ])('a lease %s holds until it runs out', async (_, owner) => {
    const jobs = await startedBy(owner);
    expect(leases.recover(Date.now() + LEASE_MS - 1000)).toEqual(NOTHING);
    expect((await jobs.find('a'))?.state).toBe('started');
    expect(leases.recover(Date.now() + LEASE_MS + 1).restarted).toHaveLength(1);
  });

  it('a renewed lease holds longer', async () => {
    await startedBy(thisProcess);
    const later = Date.now() + LEASE_MS - 1;
    expect(leases.renew({ jobId: 'a', attempt: 1 }, later)).toBe(true);
    expect(leases.recover(later + LEASE_MS - 1)).toEqual(NOTHING);
  });

  it('is not renewed for an attempt that is over, erased, another one, or of another server', async () => {
    const jobs = await startedBy(thisProcess, 'over');
    await jobs.fail('over', 1, { code: 'cancelled', params: { reason: 'cancelled' } }, AT);
    await startedBy(thisProcess, 'second');
    await startedBy(living, 'other');
    const attempts = [
      { jobId: 'over', attempt: 1 },
      { jobId: 'absent', attempt: 1 },
      { jobId: 'second', attempt: 2 },
      { jobId: 'other', attempt: 1 },
    ];
    for (const attempt of attempts) expect(leases.renew(attempt, Date.now())).toBe(false);
  });

  it('touches no job that is not active', async () => {
    const jobs = await startedBy(dead, 'done');
    await jobs.run('done', 1);
    await jobs.finish('done', 1, METRICS, RECEIPT, AT);
    await jobs.create(newJob('uploaded'));
    expect(leases.recover(Date.now() + 10 * LEASE_MS)).toEqual(NOTHING);
    expect((await jobs.find('done'))?.state).toBe('done');
  });
});

describe('isGone', () => {
  it('is certain of a dead process, and of this process id under another instance', () => {
    expect(isGone(dead)).toBe(true);
    expect(isGone(restarted)).toBe(true);
  });

  it('is not certain of a living process, of another host, or of itself', () => {
    for (const owner of [living, elsewhere, thisProcess]) expect(isGone(owner)).toBe(false);
  });
});
