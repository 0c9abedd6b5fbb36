/** Steps that suites of the JobStore begin with. */
import { expect } from 'vitest';
import { slotOf } from '../../service/job/job.ts';
import type { JobStore, QueuedJob } from '../../service/ports.ts';
import { AT, newJob, requestFor } from '../support/jobFixtures.ts';

export const FAILURE = { code: 'crashed', params: { reason: 'process_crashed', how: 'code 1' } } as const;

export async function startedIn(store: JobStore, id: string, attempt = 1): Promise<void> {
  if (attempt === 1) await store.create(newJob(id));
  expect(await store.takeSlot(slotOf(id, attempt), 100)).toBe('taken');
  expect(await store.start(id, attempt, requestFor(id), AT)).toBe(true);
}

export async function runningIn(store: JobStore, id: string): Promise<void> {
  await startedIn(store, id);
  expect(await store.run(id, 1)).toBe(true);
}

/** As it stands in the line. */
export const waiting = (jobId: string, attempt = 1, queuedAt = AT): QueuedJob => ({
  jobId,
  attempt,
  keyId: 'key-1',
  queuedAt,
  estimate: { memoryMb: 300, seconds: 12.5 },
});

export async function queuedIn(store: JobStore, id: string): Promise<void> {
  await store.create(newJob(id));
  expect(await store.enqueue(waiting(id), requestFor(id), 100)).toBe('queued');
}
