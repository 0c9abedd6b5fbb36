import { describe, expect, it } from 'vitest';
import { canTellMemory } from '../../../adapters/local/machineMemory.ts';
import { MemoryCapacity } from '../../../adapters/local/memoryCapacity.ts';
import { openLocal } from '../../../adapters/local/openLocal.ts';
import { recordingLog } from '../../support/localQueue.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const MB = 2 ** 20;
const [A, B, C] = ['a', 'b', 'c'].map((jobId) => ({ jobId, attempt: 1 })) as [Attempt, Attempt, Attempt];

interface Attempt {
  jobId: string;
  attempt: number;
}

/** A machine of 8,000 MB of which so many are available, and the processes of attempts with what they hold. */
function capacityOf(availableMb: number, held: Record<string, number> = {}) {
  const slots = Object.keys(held);
  const machine = {
    available: () => availableMb * MB,
    total: () => 8000 * MB,
    heldBy: (pid: number) => (held[slots[pid] ?? ''] ?? 0) * MB,
  };
  return new MemoryCapacity(() => new Map(slots.map((slot, pid) => [slot, pid])), machine);
}

describe('MemoryCapacity', () => {
  it('refuses a job that would take more than is available, and says what to do', async () => {
    await expect(capacityOf(900).admit(A, 5000)).rejects.toMatchObject({
      code: 'capacity_exceeded',
      params: { reason: 'memory_short', needed_mb: 5000, available_mb: 900, seconds: expect.any(Number) },
    });
    await capacityOf(900).admit(A, 900);
  });

  it('refuses one that the machine could never hold, with no time to come back', async () => {
    await expect(capacityOf(900).admit(A, 12_000)).rejects.toMatchObject({
      code: 'capacity_exceeded',
      params: { reason: 'memory_never_enough', needed_mb: 12_000, total_mb: 8000 },
    });
  });

  it('keeps for admitted jobs what they have not taken yet', async () => {
    const capacity = capacityOf(3000, { 'a#1': 1500 });
    await capacity.admit(A, 2000);
    await capacity.admit(B, 2000);
    await expect(capacity.admit(C, 1000)).rejects.toMatchObject({ params: { available_mb: 500 } });
    capacity.release(B);
    await capacity.admit(C, 1000);
  });

  it('knows this machine, where the system tells it', async () => {
    if (!canTellMemory()) return;
    const own = new MemoryCapacity(() => new Map([['a#1', process.pid]]));
    await own.admit(A, 1);
    await expect(own.admit(B, 100_000_000)).rejects.toMatchObject({ params: { reason: 'memory_never_enough' } });
  });

  it('is asked by the service on one machine, unless told not to', async () => {
    const hours = { uploadRetentionHours: 24, resultRetentionHours: 720, orphanRetentionHours: 336 };
    const limits = { maxRunningJobs: 3, maxUploadBytes: 1, jobTimeoutSeconds: 1 };
    const asked = async (own: { checkMemory?: boolean } = {}) => {
      const settings = { dataDir: temporaryFolder(), log: recordingLog().log, version: '0', ...limits, ...hours };
      const local = openLocal({ ...settings, ...own });
      await local.start();
      const { capacity } = local.service;
      await local.close();
      return capacity;
    };
    expect((await asked()) instanceof MemoryCapacity).toBe(canTellMemory());
    expect(await asked({ checkMemory: false })).toBeUndefined();
  });
});
