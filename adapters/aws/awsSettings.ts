/** Loads no part of the SDK, since every process asks whether it is on AWS. */
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
  /** Empty without a GPU. */
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

export const isOnAws = (environment: Environment): boolean => Boolean(environment[ENV.tableName]);

/** Throws an Error that names every missing or wrong variable. */
export function readStoreSettings(environment: Environment): StoreSettings {
  const data = parse(storeSchema, environment);
  return { tableName: data[ENV.tableName], bucketName: data[ENV.bucketName] };
}

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

export interface Runner {
  batchJobId: string;
  /** From 1. */
  run: number;
}

const environmentSchema = z.object({
  [ENV.batchJobId]: z.string().min(1),
  [ENV.batchJobAttempt]: z.coerce.number().int().min(1),
});

/** Undefined outside Batch containers. */
export function runnerOf(environment: Readonly<Record<string, string | undefined>>): Runner | undefined {
  const found = environmentSchema.safeParse(environment);
  return found.success ? { batchJobId: found.data[ENV.batchJobId], run: found.data[ENV.batchJobAttempt] } : undefined;
}

export const runnerName = ({ batchJobId, run }: Runner): string => `${batchJobId}/${run}`;

export function isEarlierRun(name: string, runner: Runner): boolean {
  const at = name.lastIndexOf('/');
  return name.slice(0, at) === runner.batchJobId && Number(name.slice(at + 1)) < runner.run;
}
