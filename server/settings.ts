import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { REQUESTS_PER_KEY } from '../api/http/atWork.ts';
import { type ReleasePolicy, readReleasePolicy } from '../packages/contract/releasePolicy.ts';
import { BACKENDS } from '../packages/numerics/tensor/backends.ts';
import { CALLBACK_ADDRESSES, type CallbackAddresses } from '../service/callback/callbackUrl.ts';
import { ENV, NO_TEXT_BASE } from '../service/job/environment.ts';
import { MAX_QUEUED } from '../service/service.ts';
import { affordable, type ConnectionLimits, DEFAULT_CONNECTIONS, networksOf } from './connections.ts';

const anyWholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, { error: `must be a whole number from ${min} to ${max}` })
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error: `must be a whole number from ${min} to ${max}` });

const wholeNumber = (min: number, max: number, standard: number) => anyWholeNumber(min, max).default(standard);

const listed = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

const origins = listed
  .refine((list) => list.every(isOrigin), {
    error: 'must be origins such as https://example.org, separated by commas, or *',
  })
  .default([]);

const yesOrNo = z.enum(['yes', 'no'], { error: 'must be yes or no' });

const networks = listed
  .refine(areNetworks, { error: 'must be addresses or networks such as 10.0.0.0/8, separated by commas' })
  .default([]);

const environmentSchema = z.object({
  [ENV.host]: z.string().default('127.0.0.1'),
  [ENV.port]: wholeNumber(0, 65_535, 8080),
  [ENV.dataDir]: z
    .string()
    .default('./data')
    .transform((path) => resolve(path)),
  [ENV.jobTimeout]: wholeNumber(1, 604_800, 7200),
  [ENV.maxRunningJobs]: wholeNumber(1, 1000, 3),
  [ENV.maxRunningJobsPerKey]: anyWholeNumber(1, 1000).optional(),
  [ENV.maxQueuedJobs]: wholeNumber(1, 1000, MAX_QUEUED.all),
  [ENV.maxQueuedJobsPerKey]: wholeNumber(1, 1000, MAX_QUEUED.perKey),
  [ENV.jobsPerKey]: anyWholeNumber(1, 10_000_000).optional(),
  [ENV.uploadMbPerKey]: anyWholeNumber(1, 1_000_000_000).optional(),
  [ENV.requestsPerKey]: wholeNumber(1, 10_000, REQUESTS_PER_KEY),
  [ENV.maxConnections]: wholeNumber(16, 100_000, DEFAULT_CONNECTIONS.max),
  [ENV.maxConnectionsPerAddress]: wholeNumber(1, 100_000, DEFAULT_CONNECTIONS.perAddress),
  [ENV.trustedProxies]: networks,
  [ENV.corsOrigins]: origins,
  [ENV.uploadRetentionHours]: wholeNumber(1, 87_600, 24),
  [ENV.resultRetentionHours]: wholeNumber(1, 87_600, 720),
  [ENV.orphanRetentionHours]: wholeNumber(1, 87_600, 336),
  [ENV.startWithoutRecords]: yesOrNo.default('no'),
  [ENV.checkMemory]: yesOrNo.default('yes'),
  [ENV.releasePolicy]: z
    .string()
    .transform((text, context) => {
      const policy = readReleasePolicy(text);
      if (typeof policy !== 'string') return policy;
      context.addIssue({ code: 'custom', message: policy });
      return z.NEVER;
    })
    .optional(),
  [ENV.callbackAddresses]: z
    .enum(CALLBACK_ADDRESSES, { error: `must be ${CALLBACK_ADDRESSES.join(' or ')}` })
    .default('public'),
  // Checked before the first job; jobs read them themselves.
  [ENV.tensorBackend]: z.enum(BACKENDS, { error: `must be one of ${BACKENDS.join(', ')}` }).optional(),
  [ENV.textBase]: z
    .string()
    .refine((path) => path === NO_TEXT_BASE || path.startsWith('s3://') || existsSync(path), {
      error: `must be a file or folder, an address in S3, or ${NO_TEXT_BASE}`,
    })
    .optional(),
});

export interface ServerSettings {
  host: string;
  /** 0 for any free port. */
  port: number;
  dataDir: string;
  jobTimeoutSeconds: number;
  maxRunningJobs: number;
  maxRunningJobsPerKey: number;
  maxQueuedJobs: number;
  maxQueuedJobsPerKey: number;
  jobsPerKey: number | undefined;
  uploadBytesPerKey: number | undefined;
  requestsPerKey: number;
  connections: ConnectionLimits;
  corsOrigins: string[];
  uploadRetentionHours: number;
  resultRetentionHours: number;
  orphanRetentionHours: number;
  startWithoutRecords: boolean;
  checkMemory: boolean;
  releasePolicy: ReleasePolicy | null;
  callbackAddresses: CallbackAddresses;
}

export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** Ignores empty variables. Throws SettingsError with every bad one. */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): ServerSettings {
  const set = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const result = environmentSchema.safeParse(set);
  if (!result.success) throw new SettingsError(result.error.issues.map((issue) => complaint(issue, set)).join('\n'));
  const { data } = result;
  const megabytes = data[ENV.uploadMbPerKey];
  return {
    host: data[ENV.host],
    port: data[ENV.port],
    dataDir: data[ENV.dataDir],
    jobTimeoutSeconds: data[ENV.jobTimeout],
    maxRunningJobs: data[ENV.maxRunningJobs],
    maxRunningJobsPerKey: data[ENV.maxRunningJobsPerKey] ?? data[ENV.maxRunningJobs],
    maxQueuedJobs: data[ENV.maxQueuedJobs],
    maxQueuedJobsPerKey: data[ENV.maxQueuedJobsPerKey],
    jobsPerKey: data[ENV.jobsPerKey],
    uploadBytesPerKey: megabytes === undefined ? undefined : megabytes * 2 ** 20,
    requestsPerKey: data[ENV.requestsPerKey],
    connections: {
      max: affordable(data[ENV.maxConnections]),
      perAddress: data[ENV.maxConnectionsPerAddress],
      trustedProxies: data[ENV.trustedProxies],
    },
    corsOrigins: data[ENV.corsOrigins],
    uploadRetentionHours: data[ENV.uploadRetentionHours],
    resultRetentionHours: data[ENV.resultRetentionHours],
    orphanRetentionHours: data[ENV.orphanRetentionHours],
    startWithoutRecords: data[ENV.startWithoutRecords] === 'yes',
    checkMemory: data[ENV.checkMemory] === 'yes',
    releasePolicy: data[ENV.releasePolicy] ?? null,
    callbackAddresses: data[ENV.callbackAddresses],
  };
}

function complaint(issue: z.core.$ZodIssue, set: Record<string, string | undefined>): string {
  const name = String(issue.path[0]);
  return `${name} ${issue.message}; found ${JSON.stringify(set[name])}.`;
}

function areNetworks(texts: readonly string[]): boolean {
  try {
    networksOf(texts);
    return true;
  } catch {
    return false;
  }
}

function isOrigin(text: string): boolean {
  if (text === '*') return true;
  return URL.canParse(text) && new URL(text).origin === text;
}
