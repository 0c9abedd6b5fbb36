/** What one attempt of a job is given to run with. */
import type { Clock, JobStore, ObjectStore } from '../../domain/ports.ts';
import type { Software } from '../../domain/receipt/receipt.ts';
import type { OpenTextResources } from '../models/model.ts';

export interface PipelineRun {
  jobs: Pick<JobStore, 'find' | 'report' | 'finish'>;
  objects: ObjectStore;
  clock: Clock;
  software: Software;
  jobId: string;
  attempt: number;
  /** Aborted where the process is asked to stop. */
  signal: AbortSignal;
  /** Absent where models of text have no tensor engine. */
  openText?: OpenTextResources;
}
