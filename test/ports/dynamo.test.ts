/** The adapters of DynamoDB on the table in memory, which the tests of the ledger stand on. */
import { DynamoIdempotencyStore } from '../../adapters/aws/dynamoIdempotencyStore.ts';
import { DynamoJobStore } from '../../adapters/aws/dynamoJobStore.ts';
import { RecordTable } from '../../adapters/aws/recordTable.ts';
import { FakeDynamo } from '../support/fakeDynamo.ts';
import { answerStoreSuite } from './idempotencyStore.suite.ts';
import { jobSlotsSuite } from './jobSlots.suite.ts';
import { jobStoreSuite } from './jobStore.suite.ts';
import { ledgerSuite } from './ledger.suite.ts';
import type { Made } from './made.ts';
import { settlementSuite } from './settlement.suite.ts';

async function onTable<T>(adapterOn: (table: RecordTable) => T): Promise<Made<T>> {
  const fake = new FakeDynamo();
  const handle = () => adapterOn(new RecordTable(fake.client(), 'records'));
  return { adapter: handle(), another: handle, dispose: async () => undefined };
}

jobStoreSuite('DynamoJobStore in memory', () => onTable((table) => new DynamoJobStore(table)));
jobSlotsSuite('DynamoJobStore in memory', () => onTable((table) => new DynamoJobStore(table)));
ledgerSuite('DynamoJobStore in memory', () => onTable((table) => new DynamoJobStore(table)));
answerStoreSuite('DynamoIdempotencyStore in memory', () => onTable((table) => new DynamoIdempotencyStore(table)));
settlementSuite('DynamoDB in memory', () =>
  onTable((table) => ({ jobs: new DynamoJobStore(table), idempotency: new DynamoIdempotencyStore(table) })),
);
