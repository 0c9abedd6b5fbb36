/** What a job's process does in tests, by the name of its file: `finish`, `crash`, `memory`, `hang` or `wait`. */
import { resultKey } from '../../domain/job/objectKeys.ts';
import type { JobStore } from '../../domain/ports.ts';
import type { PipelineRun } from '../../gpu-job/pipeline/pipelineRun.ts';
import { METRICS } from './jobFixtures.ts';

type Behaviour = (run: PipelineRun) => Promise<void>;

const BEHAVIOURS: Record<string, Behaviour> = {
  async finish({ jobs, objects, clock, jobId, attempt }) {
    await jobs.report(jobId, attempt, ['finished']);
    await objects.put(resultKey(jobId, attempt), new TextEncoder().encode('x\n1\n'));
    await jobs.finish(jobId, attempt, METRICS, clock.now().toISOString());
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
