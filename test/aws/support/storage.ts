/** Tables and buckets of a test's own, at the end point that the environment names. */
import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DeleteTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, DeleteBucketCommand } from '@aws-sdk/client-s3';
import { type AwsClients, createClients } from '../../../adapters/aws/awsClients.ts';
import { RECORDS } from '../../../adapters/aws/names.ts';
import { RecordTable } from '../../../adapters/aws/recordTable.ts';
import { S3ObjectStore } from '../../../adapters/aws/s3ObjectStore.ts';

export const clients: AwsClients = createClients();

/** An emulator may take many seconds for its first table. */
const patient = new DynamoDBClient({ requestHandler: { requestTimeout: 60_000, throwOnRequestTimeout: true } });

export interface TestTable {
  name: string;
  handle(): RecordTable;
  remove(): Promise<void>;
}

/** A record table as the infrastructure makes it. */
export async function makeTable(): Promise<TestTable> {
  const name = `records-${randomUUID()}`;
  const attribute = (AttributeName: string) => ({ AttributeName, AttributeType: 'S' as const });
  const { partitionKey, phase, since, phaseIndex, owner, made, ownerIndex } = RECORDS;
  await patient.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [partitionKey, phase, since, owner, made].map(attribute),
      KeySchema: [{ AttributeName: partitionKey, KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [
        {
          IndexName: phaseIndex,
          KeySchema: [
            { AttributeName: phase, KeyType: 'HASH' },
            { AttributeName: since, KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
        {
          IndexName: ownerIndex,
          KeySchema: [
            { AttributeName: owner, KeyType: 'HASH' },
            { AttributeName: made, KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    }),
  );
  await waitUntilTableExists({ client: patient, maxWaitTime: 60, minDelay: 1 }, { TableName: name });
  return {
    name,
    handle: () => new RecordTable(clients.records, name),
    remove: async () => void (await patient.send(new DeleteTableCommand({ TableName: name }))),
  };
}

export interface TestBucket {
  name: string;
  handle(): S3ObjectStore;
  remove(): Promise<void>;
}

export async function makeBucket(): Promise<TestBucket> {
  const name = `files-${randomUUID()}`;
  await clients.files.send(new CreateBucketCommand({ Bucket: name }));
  const handle = () => new S3ObjectStore(clients.files, name);
  return {
    name,
    handle,
    async remove() {
      const store = handle();
      for (const key of await store.list('')) await store.erase(key);
      await clients.files.send(new DeleteBucketCommand({ Bucket: name }));
    },
  };
}
