import { describe, expect, it } from 'vitest';
import { NO_RULES } from '../../packages/contract/releasePolicy.ts';
import { readSettings } from '../../server/settings.ts';

describe('readSettings', () => {
  it('has a default for everything', () => {
    expect(readSettings({})).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      dataDir: expect.stringMatching(/\/data$/),
      jobTimeoutSeconds: 7200,
      maxRunningJobs: 3,
      maxRunningJobsPerKey: 3,
      maxQueuedJobs: 100,
      maxQueuedJobsPerKey: 20,
      jobsPerKey: undefined,
      uploadBytesPerKey: undefined,
      requestsPerKey: 50,
      connections: { max: expect.any(Number), perAddress: 200, trustedProxies: [] },
      corsOrigins: [],
      uploadRetentionHours: 24,
      resultRetentionHours: 720,
      orphanRetentionHours: 336,
      startWithoutRecords: false,
      checkMemory: true,
      releasePolicy: null,
      callbackAddresses: 'public',
    });
  });

  it('takes an empty variable as one that is not set', () => {
    expect(readSettings({ PORT: '', CORS_ORIGINS: '' })).toMatchObject({ port: 8080, corsOrigins: [] });
  });

  it('reads origins from a list', () => {
    expect(readSettings({ CORS_ORIGINS: 'https://a.example, http://localhost:5173' }).corsOrigins).toEqual([
      'https://a.example',
      'http://localhost:5173',
    ]);
  });

  it('reads a release policy from JSON, or all rules at their tightest from one word', () => {
    const none = NO_RULES;
    expect(readSettings({ RELEASE_POLICY: '{"exact_copies": 2}' }).releasePolicy).toEqual({ ...none, exact_copies: 2 });
    expect(readSettings({ RELEASE_POLICY: 'strict' }).releasePolicy).toEqual({
      ...none,
      max_nearest_train_share_lower: 0.5,
      max_membership_auc_lower: 0.5,
      exact_copies: 0,
      verbatim_text: 0,
    });
  });

  it.each([
    ['no', 'must be "strict" or JSON'],
    ['{"exact_copies": -1}', 'exact_copies must be a whole number of rows, 0 or more'],
    ['{"copies": 0}', 'has unknown fields (copies); known are'],
  ])('refuses RELEASE_POLICY=%s', (text, why) => {
    expect(() => readSettings({ RELEASE_POLICY: text })).toThrow(why);
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80a'],
    ['PORT', '1e3'],
    ['JOB_TIMEOUT', '0'],
    ['JOB_TIMEOUT', '2h'],
    ['MAX_RUNNING_JOBS', '0'],
    ['UPLOAD_RETENTION_HOURS', '1.5'],
    ['RESULT_RETENTION_HOURS', '9'.repeat(30)],
    ['CORS_ORIGINS', 'example.org'],
    ['CORS_ORIGINS', 'https://a.example/path'],
    ['TENSOR_BACKEND', 'gpu'],
  ])('refuses %s=%s, naming it and the value', (name, value) => {
    expect(() => readSettings({ [name]: value })).toThrow(new RegExp(`^${name} must be .*"${value}"`));
  });

  it('refuses a base model that is not there, and takes one that is', () => {
    expect(() => readSettings({ TEXT_BASE: '/absent' })).toThrow(
      'TEXT_BASE must be a file or folder, an address in S3, or none',
    );
    for (const there of [import.meta.dirname, 's3://bucket/base/', 'none'])
      expect(() => readSettings({ TEXT_BASE: there })).not.toThrow();
  });

  it('names every wrong setting at once', () => {
    expect(() => readSettings({ PORT: 'x', JOB_TIMEOUT: 'y' })).toThrow(/PORT[\s\S]*JOB_TIMEOUT/);
  });
});
