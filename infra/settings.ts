/** Every setting of a deployment, read from the CDK context (`-c name=value` or cdk.json) and checked here, nowhere else. */

import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { z } from 'zod';
import { ENV } from '../service/job/environment.ts';
import { MAX_QUEUED } from '../service/service.ts';

const onOff = z
  .union([z.enum(['on', 'off', 'true', 'false']), z.boolean()], { error: 'must be on or off' })
  .transform((value) => value === true || value === 'on' || value === 'true');

const wholeNumber = (min: number, max: number) =>
  z.coerce
    .number({ error: `must be a whole number from ${min} to ${max}` })
    .refine((value) => Number.isInteger(value) && value >= min && value <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    });

const text = (pattern: RegExp, error: string) => z.string({ error }).regex(pattern, { error });

/** Days that CloudWatch Logs offers. */
const LOG_RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1827, 3653] as const;

const IMAGE = text(/^[\w.:/@-]+$/, 'must name a container image, as in 1234.dkr.ecr.eu-west-1.amazonaws.com/jobs:7');

export const settingsSchema = z
  .object({
    /** Part of every name; `prod` keeps its data when the stack is deleted. */
    stage: text(/^[a-z][a-z0-9-]{0,15}$/, 'must be 1 to 16 of a-z, 0-9 and -, beginning with a letter').default('dev'),
    /** Jobs that may be active at once. */
    maxRunningJobs: wholeNumber(1, 1000).default(3),
    /** Those of one key; as many where not given. */
    maxRunningJobsPerKey: wholeNumber(1, 1000).optional(),
    /** Jobs that may wait for a slot: of all keys, and of one. */
    maxQueuedJobs: wholeNumber(1, 1000).default(MAX_QUEUED.all),
    maxQueuedJobsPerKey: wholeNumber(1, 1000).default(MAX_QUEUED.perKey),
    /** Jobs that are kept for one key, and MB of their uploads; any number where not given. */
    jobsPerKey: wholeNumber(1, 10_000_000).optional(),
    uploadMbPerKey: wholeNumber(1, 1_000_000_000).optional(),
    /** GPU machines that Batch may run at once; as many as jobs where not given. */
    maxGpuInstances: wholeNumber(0, 1000).optional(),
    /** Uploads of up to 50 MB by a load balancer and a Fargate service; off: by Lambda, up to 4.5 MB. */
    uploadService: onOff.default(true),
    /** Jobs on Spot machines: about a third of the price, now and then interrupted and run again. */
    spot: onOff.default(false),
    /** Seconds that a job may run. */
    jobTimeout: wholeNumber(60, 604_800).default(7200),
    /** Seconds in which a started job must get a machine. */
    startLimit: wholeNumber(600, 86_400).default(3600),
    uploadRetentionHours: wholeNumber(1, 87_600).default(24),
    resultRetentionHours: wholeNumber(1, 87_600).default(720),
    logRetentionDays: z.coerce
      .number()
      .refine((days) => LOG_RETENTION_DAYS.some((offered) => offered === days), {
        error: `must be one of ${LOG_RETENTION_DAYS.join(', ')}`,
      })
      .default(30),
    /** Origins whose pages may call the service, separated by commas; * for all. */
    corsOrigins: text(
      /^$|^\*$|^https?:\/\/[^\s,/]+(,https?:\/\/[^\s,/]+)*$/,
      'must be origins separated by commas, or *',
    ).default(''),
    /** The release policy of every table: JSON as `policy` in POST /generate, or strict. */
    releasePolicy: text(/^(strict|\{.*\})$/s, 'must be strict, or JSON such as {"exact_copies": 0}').optional(),
    /** Where alarms and budget warnings go. */
    alarmEmail: z.email({ error: 'must be an e-mail address' }).optional(),
    /** US dollars a month at which the budget warns. 0: no budget. */
    budgetUsd: wholeNumber(0, 10_000_000).default(200),
    /** Zones that machines are looked for in. */
    availabilityZones: wholeNumber(2, 6).default(3),
    /** A prebuilt image of gpu-job/Dockerfile for each use; built at deployment where not given. */
    gpuImage: IMAGE.optional(),
    cpuImage: IMAGE.optional(),
    /** The engine of jobs on the GPU queue: with cuda, a job on which it does not start fails; with auto, it runs on the CPU. */
    gpuBackend: z.enum(['cuda', 'auto'], { error: 'must be cuda or auto' }).default('cuda'),
    /** A name of one's own for the base URL, with its certificate (in us-east-1). */
    domainName: text(/^[a-z0-9.-]+$/, 'must be a host name').optional(),
    certificateArn: text(/^arn:[\w-]+:acm:us-east-1:/, 'must be the ARN of a certificate in us-east-1').optional(),
    /** CloudFront's managed prefix list of this region (pl-…): who may open a connection to the load balancer. */
    cloudFrontPrefixList: text(/^pl-[0-9a-f]+$/, 'must be a prefix list, as in pl-0123456789abcdef0').optional(),
  })
  .refine((settings) => (settings.domainName === undefined) === (settings.certificateArn === undefined), {
    path: ['domainName'],
    error: 'and certificateArn must be given together',
  })
  .transform((settings) => ({
    ...settings,
    maxGpuInstances: settings.maxGpuInstances ?? settings.maxRunningJobs,
    /** Data outlives the stack. */
    keepsData: settings.stage === 'prod',
  }));

export type Settings = z.output<typeof settingsSchema>;

const NAMES = Object.keys(settingsSchema.in.shape);

export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** Settings by name from the context. Throws SettingsError naming every bad one. */
export function readSettings(contextOf: (name: string) => unknown): Settings {
  const given = Object.fromEntries(
    NAMES.map((name) => [name, contextOf(name)]).filter(
      ([, value]) => value !== undefined && value !== null && value !== '',
    ),
  );
  const result = settingsSchema.safeParse(given);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => {
    const name = String(issue.path[0]);
    return `${name} ${issue.message}; found ${JSON.stringify(given[name] ?? null)}.`;
  });
  throw new SettingsError(`The CDK context has invalid settings.\n${lines.join('\n')}`);
}

/** Names in the context that look like settings and are none: most often a slip of the pen. */
export function unknownSettings(context: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(context).filter((name) => /^[a-z][a-zA-Z]+$/.test(name) && !NAMES.includes(name));
}

// Names that several constructs share, and what the service's code knows of its deployment.

const SERVICE = 'synthetic-tables';

/** Namespace of the service's own metrics is `METRICS.namespace`; this is the value of its dimension. */
export const stackName = (stage: string): string => `${SERVICE}-${stage}`;

/** The ARN of a Batch resource of this stack by its name: known before it exists, so that policies and rules can say it. */
export function batchArn(scope: Construct, kind: 'job-queue' | 'job-definition' | 'job', name: string): string {
  return Stack.of(scope).formatArn({ service: 'batch', resource: kind, resourceName: name });
}

// What the service's code knows of its deployment, by the names that it reads.

interface Deployed {
  tableName: string;
  bucketName: string;
}

const given = (name: string, value: number | undefined): Record<string, string> =>
  value === undefined ? {} : { [name]: String(value) };

/** For all that has the stores. */
export const storesEnvironment = (settings: Settings, { tableName, bucketName }: Deployed): Record<string, string> => ({
  [ENV.tableName]: tableName,
  [ENV.bucketName]: bucketName,
  [ENV.maxRunningJobs]: String(settings.maxRunningJobs),
  ...given(ENV.maxRunningJobsPerKey, settings.maxRunningJobsPerKey),
  [ENV.maxQueuedJobs]: String(settings.maxQueuedJobs),
  [ENV.maxQueuedJobsPerKey]: String(settings.maxQueuedJobsPerKey),
  ...given(ENV.jobsPerKey, settings.jobsPerKey),
  ...given(ENV.uploadMbPerKey, settings.uploadMbPerKey),
  [ENV.jobTimeout]: String(settings.jobTimeout),
  [ENV.startLimit]: String(settings.startLimit),
  [ENV.uploadRetentionHours]: String(settings.uploadRetentionHours),
  [ENV.resultRetentionHours]: String(settings.resultRetentionHours),
  ...(settings.releasePolicy ? { [ENV.releasePolicy]: settings.releasePolicy } : {}),
  ...(settings.corsOrigins ? { [ENV.corsOrigins]: settings.corsOrigins } : {}),
});
