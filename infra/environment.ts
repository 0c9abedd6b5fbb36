/** What the service's code is told of its deployment, by the names that it asks for. */
import { ENV } from '../domain/job/environment.ts';
import type { Settings } from './settings.ts';

export interface Deployed {
  tableName: string;
  bucketName: string;
}

/** For all that has the stores. */
export const storesEnvironment = (settings: Settings, { tableName, bucketName }: Deployed): Record<string, string> => ({
  [ENV.tableName]: tableName,
  [ENV.bucketName]: bucketName,
  [ENV.maxRunningJobs]: String(settings.maxRunningJobs),
  [ENV.jobTimeout]: String(settings.jobTimeout),
  [ENV.startLimit]: String(settings.startLimit),
  [ENV.uploadRetentionHours]: String(settings.uploadRetentionHours),
  [ENV.resultRetentionHours]: String(settings.resultRetentionHours),
  ...(settings.releasePolicy ? { [ENV.releasePolicy]: settings.releasePolicy } : {}),
  ...(settings.corsOrigins ? { [ENV.corsOrigins]: settings.corsOrigins } : {}),
});
