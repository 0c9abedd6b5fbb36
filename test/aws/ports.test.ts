/** The adapters for AWS, by the suites of their ports. */

import { DynamoCallbackStore } from '../../adapters/aws/dynamoCallbackStore.ts';
import { DynamoIdempotencyStore } from '../../adapters/aws/dynamoIdempotencyStore.ts';
import { DynamoJobStore } from '../../adapters/aws/dynamoJobStore.ts';
import { DynamoKeyStore, dynamoClockMarks } from '../../adapters/aws/openAws.ts';
import type { RecordTable } from '../../adapters/aws/recordTable.ts';
import { callbackStoreSuite } from '../ports/callbackStore.suite.ts';
import { clockMarksSuite } from '../ports/clockMarks.suite.ts';
import { answerStoreSuite } from '../ports/idempotencyStore.suite.ts';
import { jobSlotsSuite } from '../ports/jobSlots.suite.ts';
import { jobStoreSuite } from '../ports/jobStore.suite.ts';
import { keyStoreSuite } from '../ports/keyStore.suite.ts';
import { ledgerSuite } from '../ports/ledger.suite.ts';
import type { Made } from '../ports/made.ts';
import { objectStoreSuite } from '../ports/objectStore.suite.ts';
import { settlementSuite } from '../ports/settlement.suite.ts';
import { makeBucket, makeTable } from './support/storage.ts';

async function onTable<T>(adapterOn: (table: RecordTable) => T): Promise<Made<T>> {
  const table = await makeTable();
  const handle = () => adapterOn(table.handle());
  return { adapter: handle(), another: handle, dispose: () => table.remove() };
}

jobStoreSuite('DynamoJobStore', () => onTable((table) => new DynamoJobStore(table)));
jobSlotsSuite('DynamoJobStore', () => onTable((table) => new DynamoJobStore(table)));
ledgerSuite('DynamoJobStore', () => onTable((table) => new DynamoJobStore(table)));

answerStoreSuite('DynamoIdempotencyStore', () => onTable((table) => new DynamoIdempotencyStore(table)));

callbackStoreSuite('DynamoCallbackStore', () => onTable((table) => new DynamoCallbackStore(table)));

clockMarksSuite('DynamoDB', () => onTable((table) => dynamoClockMarks(table)));

settlementSuite('DynamoDB', () =>
  onTable((table) => ({ jobs: new DynamoJobStore(table), idempotency: new DynamoIdempotencyStore(table) })),
);

keyStoreSuite('DynamoKeyStore', () =>
  onTable((table) => new DynamoKeyStore(table, { now: () => new Date('2026-11-03T09:00:00Z') })),
);

objectStoreSuite('S3ObjectStore', async () => {
  const bucket = await makeBucket();
  return { adapter: bucket.handle(), another: () => bucket.handle(), dispose: () => bucket.remove() };
});
