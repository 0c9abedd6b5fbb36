import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct, type IConstruct } from 'constructs';
import { RECORDS } from '../adapters/aws/names.ts';
import { JOBS_PREFIX } from '../service/job/objectKeys.ts';
import { byInterface } from './cdk.ts';
import type { Settings } from './settings.ts';

/** S3 erases what the daily expiry misses after these days. */
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
      // Versions would keep what DELETE /jobs erases.
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

function longestStay(settings: Settings): number {
  const hours = settings.uploadRetentionHours + settings.resultRetentionHours;
  return Math.ceil(hours / HOURS_A_DAY) + LIFECYCLE_MARGIN_DAYS;
}

export const removalPolicy = (settings: Settings): RemovalPolicy =>
  settings.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;

export class Records extends Construct {
  readonly table: Table;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.table = new Table(this, 'Table', {
      partitionKey: { name: RECORDS.partitionKey, type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.DEFAULT,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      timeToLiveAttribute: RECORDS.expires,
      deletionProtection: settings.keepsData,
      removalPolicy: removalPolicy(settings),
    });
    this.table.addGlobalSecondaryIndex({
      indexName: RECORDS.phaseIndex,
      partitionKey: { name: RECORDS.phase, type: AttributeType.STRING },
      sortKey: { name: RECORDS.since, type: AttributeType.STRING },
      projectionType: ProjectionType.KEYS_ONLY,
    });
    this.table.addGlobalSecondaryIndex({
      indexName: RECORDS.ownerIndex,
      partitionKey: { name: RECORDS.owner, type: AttributeType.STRING },
      sortKey: { name: RECORDS.made, type: AttributeType.STRING },
      projectionType: ProjectionType.KEYS_ONLY,
    });
  }
}

/** The load balancer's log service gives no source to compare. */
export function allowBalancerLogs(logs: IBucket, balancer: IConstruct, prefix: string): void {
  allowLogs(logs, balancer, prefix, new ServicePrincipal('logdelivery.elasticloadbalancing.amazonaws.com'));
}

/** Flow logs read the bucket's access list before writing. */
export function allowFlowLogs(logs: IBucket, flowLog: IConstruct, prefix: string): void {
  const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(flowLog).account } };
  const principal = new ServicePrincipal('delivery.logs.amazonaws.com', { conditions });
  const [actions, resources] = [['s3:GetBucketAcl'], [logs.bucketArn]];
  logs.addToResourcePolicy(new PolicyStatement({ actions, principals: [principal], resources }));
  allowLogs(logs, flowLog, prefix, principal);
}

/** Makes `writer` depend on the policy, since some services test writing at setup. */
function allowLogs(logs: IBucket, writer: IConstruct, prefix: string, principal: ServicePrincipal): void {
  const resources = [logs.arnForObjects(`${prefix}/AWSLogs/${Stack.of(writer).account}/*`)];
  logs.addToResourcePolicy(new PolicyStatement({ actions: ['s3:PutObject'], principals: [principal], resources }));
  if (logs.policy) writer.node.addDependency(logs.policy);
}
