/** The requests of AWS Batch that the stand-in understands, as the REST-JSON protocol writes them. */
import { z } from 'zod';

const pairs = z.array(z.object({ name: z.string(), value: z.string() }));

export const evaluateOnExitSchema = z.object({
  action: z.string().transform((action) => action.toUpperCase()),
  onExitCode: z.string().optional(),
  onReason: z.string().optional(),
  onStatusReason: z.string().optional(),
});

export const retryStrategySchema = z.object({
  attempts: z.int().min(1).max(10).default(1),
  evaluateOnExit: z.array(evaluateOnExitSchema).default([]),
});
export type RetryStrategy = z.output<typeof retryStrategySchema>;

export const REQUESTS = {
  submitjob: z.object({
    jobName: z.string().regex(/^[A-Za-z0-9][\w-]{0,127}$/),
    jobQueue: z.string(),
    jobDefinition: z.string(),
    containerOverrides: z.object({ environment: pairs.default([]) }).default({ environment: [] }),
    parameters: z.record(z.string(), z.string()).default({}),
    tags: z.record(z.string(), z.string()).default({}),
    propagateTags: z.boolean().default(false),
    retryStrategy: retryStrategySchema.optional(),
    timeout: z.object({ attemptDurationSeconds: z.int().min(60) }).optional(),
  }),
  describejobs: z.object({ jobs: z.array(z.string()).max(100) }),
  listjobs: z.object({
    jobQueue: z.string(),
    jobStatus: z.string().optional(),
    filters: z.array(z.object({ name: z.string(), values: z.array(z.string()) })).default([]),
    maxResults: z.int().min(1).max(100).default(100),
    nextToken: z.string().optional(),
  }),
  terminatejob: z.object({ jobId: z.string(), reason: z.string().max(1024) }),
  canceljob: z.object({ jobId: z.string(), reason: z.string().max(1024) }),
  describecomputeenvironments: z.object({ computeEnvironments: z.array(z.string()).default([]) }),
} as const;

export type SubmitJob = z.output<(typeof REQUESTS)['submitjob']>;
export type ListJobs = z.output<(typeof REQUESTS)['listjobs']>;

/** An answer that is an error of the protocol: its name goes into a header. */
export class BatchError extends Error {
  override readonly name: string;
  readonly status: number;
  constructor(name: 'ClientException' | 'ServerException' | 'TooManyRequestsException', message: string) {
    super(message);
    this.name = name;
    this.status = { ClientException: 400, ServerException: 500, TooManyRequestsException: 429 }[name];
  }
}
