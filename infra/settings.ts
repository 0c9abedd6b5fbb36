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

const LOG_RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1827, 3653] as const;

const IMAGE = text(/^[\w.:/@-]+$/, 'must name a container image, as in 1234.dkr.ecr.eu-west-1.amazonaws.com/jobs:7');

export const settingsSchema = z
  .object({
    /** Part of every name; `prod` keeps its data after deletion. */
    stage: text(/^[a-z][a-z0-9-]{0,15}$/, 'must be 1 to 16 of a-z, 0-9 and -, beginning with a letter').default('dev'),
    maxRunningJobs: wholeNumber(1, 1000).default(3),
    maxRunningJobsPerKey: wholeNumber(1, 1000).optional(),
    maxQueuedJobs: wholeNumber(1, 1000).default(MAX_QUEUED.all),
    maxQueuedJobsPerKey: wholeNumber(1, 1000).default(MAX_QUEUED.perKey),
    /** Per key; unlimited by default. */
    jobsPerKey: wholeNumber(1, 10_000_000).optional(),
    uploadMbPerKey: wholeNumber(1, 1_000_000_000).optional(),
    /** Defaults to the number of jobs. */
    maxGpuInstances: wholeNumber(0, 1000).optional(),
    /** Uploads up to 50 MB by Fargate; off: 4.5 MB by Lambda. */
    uploadService: onOff.default(true),
    /** A third of the price, sometimes interrupted and run again. */
    spot: onOff.default(false),
    /** Seconds. */
    jobTimeout: wholeNumber(60, 604_800).default(7200),
    /** Seconds. */
    startLimit: wholeNumber(600, 86_400).default(3600),
    uploadRetentionHours: wholeNumber(1, 87_600).default(24),
    resultRetentionHours: wholeNumber(1, 87_600).default(720),
    logRetentionDays: z.coerce
      .number()
      .refine((days) => LOG_RETENTION_DAYS.some((offered) => offered === days), {
        error: `must be one of ${LOG_RETENTION_DAYS.join(', ')}`,
      })
      .default(30),
    corsOrigins: text(
      /^$|^\*$|^https?:\/\/[^\s,/]+(,https?:\/\/[^\s,/]+)*$/,
      'must be origins separated by commas, or *',
    ).default(''),
    /** JSON as `policy` of POST /generate, or strict. */
    releasePolicy: text(/^(strict|\{.*\})$/s, 'must be strict, or JSON such as {"exact_copies": 0}').optional(),
    alarmEmail: z.email({ error: 'must be an e-mail address' }).optional(),
    /** US dollars a month; 0 for no budget. */
    budgetUsd: wholeNumber(0, 10_000_000).default(200),
    availabilityZones: wholeNumber(2, 6).default(3),
    gpuImage: IMAGE.optional(),
    cpuImage: IMAGE.optional(),
    /** cuda: jobs fail if it does not start; auto: they use the CPU. */
    gpuBackend: z.enum(['cuda', 'auto'], { error: 'must be cuda or auto' }).default('cuda'),
    /** Custom host name, with its certificate (us-east-1). */
    domainName: text(/^[a-z0-9.-]+$/, 'must be a host name').optional(),
    certificateArn: text(/^arn:[\w-]+:acm:us-east-1:/, 'must be the ARN of a certificate in us-east-1').optional(),
    /** May reach the load balancer (pl-…). */
    cloudFrontPrefixList: text(/^pl-[0-9a-f]+$/, 'must be a prefix list, as in pl-0123456789abcdef0').optional(),
  })
  .refine((settings) => (settings.domainName === undefined) === (settings.certificateArn === undefined), {
    path: ['domainName'],
    error: 'and certificateArn must be given together',
  })
  .transform((settings) => ({
    ...settings,
    maxGpuInstances: settings.maxGpuInstances ?? settings.maxRunningJobs,
    keepsData: settings.stage === 'prod',
  }));

export type Settings = z.output<typeof settingsSchema>;

const NAMES = Object.keys(settingsSchema.in.shape);

export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** Throws SettingsError with every bad one. */
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

/** Unknown names that look like settings, usually typos. */
export function unknownSettings(context: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(context).filter((name) => /^[a-z][a-zA-Z]+$/.test(name) && !NAMES.includes(name));
}

const SERVICE = 'synthetic-tables';

export const stackName = (stage: string): string => `${SERVICE}-${stage}`;

/** Known before the resource exists. */
export function batchArn(scope: Construct, kind: 'job-queue' | 'job-definition' | 'job', name: string): string {
  return Stack.of(scope).formatArn({ service: 'batch', resource: kind, resourceName: name });
}

interface Deployed {
  tableName: string;
  bucketName: string;
}

const given = (name: string, value: number | undefined): Record<string, string> =>
  value === undefined ? {} : { [name]: String(value) };

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
