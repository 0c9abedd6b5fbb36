/** The record table: jobs, slots, keys. */
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { RECORDS } from '../domain/job/recordNames.ts';
import type { Settings } from './settings.ts';
import { removalPolicy } from './storage.ts';

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
