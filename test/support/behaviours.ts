/** What a job's process does in tests, by the name of its file: `finish`, `crash`, `memory`, `hang` or `wait`. */

import type { JobRun } from '../../gpu-job/runJob.ts';
import { resultKey } from '../../service/job/objectKeys.ts';
import type { JobStore } from '../../service/ports.ts';
import { METRICS, RECEIPT } from './jobFixtures.ts';

type Behaviour = (run: JobRun) => Promise<void>;

const BEHAVIOURS: Record<string, Behaviour> = {
  async finish({ jobs, objects, clock, jobId, attempt }) {
    await jobs.addEvents(jobId, attempt, [{ stage: 'done', fact: 'finished', rows: 1, columns: 1, seconds: 0 }]);
    await objects.put(resultKey(jobId, attempt), new TextEncoder().encode('x\n1\n'));
    await jobs.finish(jobId, attempt, METRICS, RECEIPT, clock.now().toISOString());
  },
  async crash() {
    process.abort();
  },
  async memory() {
    const kept: number[][] = [];
    for (;;) kept.push(Array.from({ length: 100_000 }, (_, i) => i + 0.5));
  },
  async hang() {
    for (;;);
  },
  async wait() {
    await new Promise((resolve) => setTimeout(resolve, 3_600_000));
  },
};

export async function behaviourOf(jobs: JobStore, jobId: string): Promise<Behaviour> {
  const behaviour = BEHAVIOURS[(await jobs.find(jobId))?.fileName ?? ''];
  if (!behaviour) throw new Error('the name of the file says no behaviour');
  return behaviour;
}
