/** The name of a process that runs an attempt: the Batch job, and which of its runs. */
import { z } from 'zod';
import { ENV } from '../../domain/job/environment.ts';

export interface Runner {
  batchJobId: string;
  /** 1, 2, …: Batch counts its runs. */
  run: number;
}

const environmentSchema = z.object({
  [ENV.batchJobId]: z.string().min(1),
  [ENV.batchJobAttempt]: z.coerce.number().int().min(1),
});

/** Batch sets both in the container. Undefined elsewhere. */
export function runnerOf(environment: Readonly<Record<string, string | undefined>>): Runner | undefined {
  const found = environmentSchema.safeParse(environment);
  return found.success ? { batchJobId: found.data[ENV.batchJobId], run: found.data[ENV.batchJobAttempt] } : undefined;
}

export const runnerName = ({ batchJobId, run }: Runner): string => `${batchJobId}/${run}`;

/** Whether a name is that of an earlier run of the same Batch job. */
export function isEarlierRun(name: string, runner: Runner): boolean {
  const at = name.lastIndexOf('/');
  return name.slice(0, at) === runner.batchJobId && Number(name.slice(at + 1)) < runner.run;
}
