import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSettings, type Settings, SettingsError, settingsSchema, unknownSettings } from '../../infra/settings.ts';
import { root } from '../support/imports.ts';

const read = (context: Readonly<Record<string, unknown>>): Settings => readSettings((name) => context[name]);

const complaint = (context: Readonly<Record<string, unknown>>): string => {
  try {
    read(context);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  return '';
};

describe('settings', () => {
  it('has a standard for each', () => {
    expect(read({})).toEqual({
      stage: 'dev',
      maxRunningJobs: 3,
      maxQueuedJobs: 100,
      maxQueuedJobsPerKey: 20,
      maxGpuInstances: 3,
      uploadService: true,
      spot: false,
      jobTimeout: 7200,
      startLimit: 3600,
      uploadRetentionHours: 24,
      resultRetentionHours: 720,
      logRetentionDays: 30,
      corsOrigins: '',
      budgetUsd: 200,
      availabilityZones: 3,
      gpuBackend: 'cuda',
      keepsData: false,
    });
  });

  it('takes text, as -c gives it, and values, as cdk.json does', () => {
    expect(read({ maxRunningJobs: '30', spot: 'on', uploadService: 'off', budgetUsd: '' })).toMatchObject({
      maxRunningJobs: 30,
      maxGpuInstances: 30,
      spot: true,
      uploadService: false,
      budgetUsd: 200,
    });
    expect(read({ maxRunningJobs: 30, maxGpuInstances: 2, spot: true })).toMatchObject({
      maxGpuInstances: 2,
      spot: true,
    });
  });

  it('keeps the data of the stage prod only', () => {
    expect([read({ stage: 'prod' }).keepsData, read({ stage: 'prod2' }).keepsData]).toEqual([true, false]);
  });

  it.each([
    [{ stage: 'My Stage' }, 'stage must be 1 to 16 of a-z, 0-9 and -, beginning with a letter; found "My Stage".'],
    [{ maxRunningJobs: '0' }, 'maxRunningJobs must be a whole number from 1 to 1000; found "0".'],
    [{ maxRunningJobs: 'three' }, 'maxRunningJobs must be a whole number from 1 to 1000; found "three".'],
    [{ spot: 'maybe' }, 'spot must be on or off; found "maybe".'],
    [{ logRetentionDays: '31' }, 'logRetentionDays must be one of 1, 3, 5,'],
    [{ alarmEmail: 'nobody' }, 'alarmEmail must be an e-mail address; found "nobody".'],
    [{ corsOrigins: 'example.org' }, 'corsOrigins must be origins separated by commas, or *; found "example.org".'],
    [{ domainName: 'a.example' }, 'domainName and certificateArn must be given together; found "a.example".'],
    [
      { certificateArn: 'arn:aws:acm:eu-west-1:1:certificate/1' },
      'certificateArn must be the ARN of a certificate in us-east-1',
    ],
    [{ jobTimeout: '5', startLimit: '1' }, /jobTimeout .*\nstartLimit /],
  ])('refuses %j, saying why', (context, message) => {
    expect(complaint(context)).toMatch(message);
  });

  it('knows a slip of the pen from the context that the CDK itself has', () => {
    const context = { maxRuningJobs: 1, spot: 'on', 'aws:cdk:bundling-stacks': [], '@aws-cdk/core:x': true };
    expect(unknownSettings(context)).toEqual(['maxRuningJobs']);
  });

  it('is in the manual, each of them', () => {
    const manual = readFileSync(join(root, 'docs', 'operations.md'), 'utf8');
    const table = manual.split('\n').filter((line) => line.startsWith('| `'));
    const named = (name: string) => table.some((line) => line.split('|')[1]?.includes(`\`${name}\``));
    expect(Object.keys(settingsSchema.in.shape).filter((name) => !named(name))).toEqual([]);
  });
});
