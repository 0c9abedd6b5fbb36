/** Where uploads, profiles and results lie, and where access to them is logged. */
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { JOBS_PREFIX } from '../domain/job/objectKeys.ts';
import { byInterface } from './byInterface.ts';
import type { Settings } from './settings.ts';

/** The daily expiry erases objects by their job's record. Whatever it misses, S3 itself erases this many days later. */
const LIFECYCLE_MARGIN_DAYS = 7;
const HOURS_A_DAY = 24;

const CLOSED = {
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  encryption: BucketEncryption.S3_MANAGED,
  enforceSSL: true,
  minimumTLSVersion: 1.2,
  objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
} as const;

export class Storage extends Construct {
  readonly data: Bucket;
  readonly logs: IBucket;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const logs = new Bucket(this, 'Logs', {
      ...CLOSED,
      removalPolicy: removalPolicy(settings),
      lifecycleRules: [{ id: 'expire-logs', expiration: Duration.days(settings.logRetentionDays) }],
    });
    this.logs = byInterface<IBucket>(logs);
    this.data = new Bucket(this, 'Data', {
      ...CLOSED,
      removalPolicy: removalPolicy(settings),
      // Not versioned: what DELETE /jobs erases must be gone.
      versioned: false,
      serverAccessLogsBucket: this.logs,
      serverAccessLogsPrefix: 's3/',
      lifecycleRules: [
        { id: 'abort-broken-uploads', abortIncompleteMultipartUploadAfter: Duration.days(1) },
        { id: 'expire-jobs', prefix: JOBS_PREFIX, expiration: Duration.days(longestStay(settings)) },
      ],
    });
  }
}

/** Days from an object's creation until no rule of the service can want it any more. */
export function longestStay(settings: Settings): number {
  const hours = settings.uploadRetentionHours + settings.resultRetentionHours;
  return Math.ceil(hours / HOURS_A_DAY) + LIFECYCLE_MARGIN_DAYS;
}

export const removalPolicy = (settings: Settings): RemovalPolicy =>
  settings.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
