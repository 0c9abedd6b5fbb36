/**
 * What the deployment tells its processes, read and checked here and nowhere else. Every process asks whether it is on AWS: this
 * file loads none of the SDK.
 */
import { z } from 'zod';
import { ENV } from '../../service/job/environment.ts';
import { type ComputeLimits, DEFAULT_LIMITS } from '../../service/job/reconcile.ts';
import type { BatchTarget } from './batchJobs.ts';

export interface StoreSettings {
  tableName: string;
  bucketName: string;
}

export interface AwsSettings extends StoreSettings {
  gpu: BatchTarget;
  cpu: BatchTarget;
  /** Compute environment of the GPU queue; empty where the deployment has no GPU. */
  computeEnvironment: string;
  limits: ComputeLimits;
}

type Environment = Readonly<Record<string, string | undefined>>;

const seconds = (standardMs: number) =>
  z.coerce
    .number()
    .positive()
    .transform((value) => value * 1000)
    .default(standardMs);

const storeSchema = z.object({ [ENV.tableName]: z.string(), [ENV.bucketName]: z.string() });

const settingsSchema = storeSchema.extend({
  [ENV.gpuQueue]: z.string(),
  [ENV.cpuQueue]: z.string(),
  [ENV.gpuJobDefinition]: z.string(),
  [ENV.cpuJobDefinition]: z.string(),
  [ENV.computeEnvironment]: z.string().default(''),
  [ENV.submitGrace]: seconds(DEFAULT_LIMITS.submitGraceMs),
  [ENV.startLimit]: seconds(DEFAULT_LIMITS.startLimitMs),
});

/** Whether this process belongs to a deployment on AWS. */
export const isOnAws = (environment: Environment): boolean => Boolean(environment[ENV.tableName]);

/** Throws an Error that names every variable that is missing or wrong. */
export function readStoreSettings(environment: Environment): StoreSettings {
  const data = parse(storeSchema, environment);
  return { tableName: data[ENV.tableName], bucketName: data[ENV.bucketName] };
}

/** Throws an Error that names every variable that is missing or wrong. */
export function readAwsSettings(environment: Environment): AwsSettings {
  const data = parse(settingsSchema, environment);
  return {
    tableName: data[ENV.tableName],
    bucketName: data[ENV.bucketName],
    gpu: { queue: data[ENV.gpuQueue], definition: data[ENV.gpuJobDefinition] },
    cpu: { queue: data[ENV.cpuQueue], definition: data[ENV.cpuJobDefinition] },
    computeEnvironment: data[ENV.computeEnvironment],
    limits: { submitGraceMs: data[ENV.submitGrace], startLimitMs: data[ENV.startLimit] },
  };
}

function parse<T extends z.ZodType>(schema: T, environment: Environment): z.output<T> {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = schema.safeParse(set);
  if (result.success) return result.data;
  const wrong = result.error.issues.map(({ path, message }) => `${path.join('.')} (${message})`);
  throw new Error(`The environment of this process is not that of a deployment. Check ${wrong.join(', ')}.`);
}

// The name of a process that runs an attempt: the Batch job, and which of its runs.

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
