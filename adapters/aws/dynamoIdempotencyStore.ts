/**
 * Stored answers in DynamoDB. Conditions compare `until` (ms); the table erases items some time after `expires` (s).
 */
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Claim, IdempotencyStore, KeptAnswer, Settlement } from '../../service/ports.ts';
import { ITEMS, RECORDS } from './names.ts';
import { type Item, number, type RecordTable, text, type Update } from './recordTable.ts';

const answerKey = (name: string): string => `${ITEMS.answerPrefix}${name}`;

const FREE = 'attribute_not_exists(#until) OR #until <= :now OR #token = :token';

const settling = ({ token, digest, answer, until }: Settlement): Update => ({
  update: `SET #digest = :digest, #answer = :answer, #until = :until, #${RECORDS.expires} = :expires, #by = :token
    REMOVE #token`,
  condition: '#token = :token',
  values: { ':token': text(token), ':digest': text(digest), ':answer': text(answer), ...timesOf(until) },
});

export const settlementIn = (table: RecordTable, settlement: Settlement | undefined): TransactWriteItem[] =>
  settlement ? [table.updateOf(answerKey(settlement.name), settling(settlement))] : [];

export class DynamoIdempotencyStore implements IdempotencyStore {
  readonly #table: RecordTable;

  constructor(table: RecordTable) {
    this.#table = table;
  }

  async claim(name: string, token: string, now: number, until: number): Promise<Claim> {
    const outcome = await this.#table.update(answerKey(name), {
      update: `SET #token = :token, #until = :until, #${RECORDS.expires} = :expires REMOVE #digest, #answer`,
      condition: FREE,
      values: { ':token': text(token), ':now': number(now), ...timesOf(until) },
    });
    return outcome.held ? { kind: 'claimed' } : claimOf(outcome.old);
  }

  async settle(name: string, token: string, kept: KeptAnswer, until: number): Promise<boolean> {
    const { held, ...rest } = await this.#table.update(answerKey(name), settling({ name, token, ...kept, until }));
    // After a lost answer the SDK repeats the write.
    return held || ('old' in rest && rest.old?.by?.S === token);
  }

  async drop(name: string, token: string): Promise<void> {
    await this.#table.update(answerKey(name), {
      update: 'SET #until = :over',
      condition: '#token = :token OR #by = :token',
      values: { ':token': text(token), ':over': number(0) },
    });
  }

  async expire(): Promise<void> {}
}

const timesOf = (until: number): Item => ({ ':until': number(until), ':expires': number(Math.ceil(until / 1000)) });

const claimOf = (item: Item | undefined): Claim =>
  item?.digest?.S === undefined || item.answer?.S === undefined
    ? { kind: 'pending' }
    : { kind: 'settled', digest: item.digest.S, answer: item.answer.S };
