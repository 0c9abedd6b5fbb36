/** A submission as the job that Batch makes of it: the definition, with what the submission overrides. */
import { randomUUID } from 'node:crypto';
import type { BatchJob } from './batchJob.ts';
import type { JobDefinition } from './deployedBatch.ts';
import { ARN } from './lookUp.ts';
import type { SubmitJob } from './wire.ts';

export function newJob(request: SubmitJob, queue: string, definition: JobDefinition): BatchJob {
  const jobId = randomUUID();
  const overridden = new Set(request.containerOverrides.environment.map(({ name }) => name));
  return {
    jobId,
    jobArn: `${ARN}:job/${jobId}`,
    jobName: request.jobName,
    jobQueue: queue,
    jobDefinition: `${ARN}:job-definition/${definition.name}:1`,
    status: 'SUBMITTED',
    createdAt: Date.now(),
    attempts: [],
    retryStrategy: request.retryStrategy ?? definition.retryStrategy,
    timeoutSeconds: request.timeout?.attemptDurationSeconds ?? definition.timeoutSeconds,
    environment: [
      ...definition.environment.filter(({ name }) => !overridden.has(name)),
      ...request.containerOverrides.environment,
    ],
    parameters: request.parameters,
    tags: request.tags,
    propagateTags: request.propagateTags,
    platform: definition.platform,
  };
}
