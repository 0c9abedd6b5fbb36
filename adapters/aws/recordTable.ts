/** Record table with consistent reads, conditional writes and transactions. */
import { randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  type AttributeValue,
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  paginateQuery,
  type QueryCommandInput,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { awsError, busy, isNamed, isThrottled, type RetryRule, withRetries } from './awsErrors.ts';
import { RECORDS } from './names.ts';

export type Item = Record<string, AttributeValue>;

/** `#name` stands for the attribute, unless `names` overrides it. */
export interface Update {
  update: string;
  condition?: string;
  values: Item;
  names?: Record<string, string>;
}

interface Check {
  condition: string;
  values: Item;
}

export type Outcome = { held: true } | { held: false; old: Item | undefined };

const MAX_KEYS = 100;
const MAX_KEY_BYTES = 2048;

/** Of two conflicting writes, one succeeds. */
const CONFLICTS: RetryRule = { isPassing: isConflict, tries: 12, firstWaitMs: 20, maxWaitMs: 1000 };

export class RecordTable {
  readonly #client: DynamoDBClient;
  readonly #name: string;

  constructor(client: DynamoDBClient, name: string) {
    this.#client = client;
    this.#name = name;
  }

  /** An overlong key names nothing. */
  async get(pk: string): Promise<Item | undefined> {
    if (Buffer.byteLength(pk) > MAX_KEY_BYTES) return undefined;
    const input = { TableName: this.#name, Key: keyOf(pk), ConsistentRead: true };
    return (await guarded(() => this.#client.send(new GetItemCommand(input)))).Item;
  }

  /** In no order. */
  async getAll(pks: readonly string[], attributes?: readonly string[]): Promise<Item[]> {
    const found: Item[] = [];
    let left = pks.map(keyOf);
    while (left.length > 0) {
      const [asked, later] = [left.slice(0, MAX_KEYS), left.slice(MAX_KEYS)];
      const projection = attributes?.map((name) => `#${name}`).join(', ');
      const request = {
        Keys: asked,
        ConsistentRead: true,
        ...(projection && { ProjectionExpression: projection, ExpressionAttributeNames: namesIn(projection) }),
      };
      const answer = await guarded(() =>
        withRetries({ ...CONFLICTS, isPassing: isThrottled }, async () => {
          const got = await this.#client.send(new BatchGetItemCommand({ RequestItems: { [this.#name]: request } }));
          if (got.Responses?.[this.#name]?.length === 0 && got.UnprocessedKeys?.[this.#name]) throw new Unprocessed();
          return got;
        }),
      );
      found.push(...(answer.Responses?.[this.#name] ?? []));
      left = [...(answer.UnprocessedKeys?.[this.#name]?.Keys ?? []), ...later];
    }
    return found;
  }

  async update(pk: string, { update, condition, values, names }: Update): Promise<Outcome> {
    const command = new UpdateItemCommand({
      TableName: this.#name,
      Key: keyOf(pk),
      UpdateExpression: update,
      ...(condition && { ConditionExpression: condition }),
      ExpressionAttributeNames: namesIn(update, condition, names),
      ...valuesOf(values),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    try {
      await guarded(() => withRetries(CONFLICTS, () => this.#client.send(command)));
      return { held: true };
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return { held: false, old: error.Item };
      throw error;
    }
  }

  /** Returns false if a condition failed. The SDK's retries share one token. */
  async transact(items: readonly TransactWriteItem[]): Promise<boolean> {
    try {
      await guarded(() =>
        withRetries(CONFLICTS, () => {
          const input = { TransactItems: [...items], ClientRequestToken: randomUUID() };
          return this.#client.send(new TransactWriteItemsCommand(input));
        }),
      );
      return true;
    } catch (error) {
      if (reasonsOf(error).includes('ConditionalCheckFailed')) return false;
      throw error;
    }
  }

  updateOf(pk: string, { update, condition, values, names }: Update): TransactWriteItem {
    const shared = { TableName: this.#name, Key: keyOf(pk), ...valuesOf(values) };
    const expressions = { UpdateExpression: update, ...(condition && { ConditionExpression: condition }) };
    return { Update: { ...shared, ...expressions, ExpressionAttributeNames: namesIn(update, condition, names) } };
  }

  checkOf(pk: string, { condition, values }: Check): TransactWriteItem {
    const shared = { TableName: this.#name, Key: keyOf(pk), ...valuesOf(values) };
    return {
      ConditionCheck: { ...shared, ConditionExpression: condition, ExpressionAttributeNames: namesIn(condition) },
    };
  }

  putNewOf(pk: string, item: Item): TransactWriteItem {
    const condition = `attribute_not_exists(#${RECORDS.partitionKey})`;
    return {
      Put: {
        TableName: this.#name,
        Item: { ...keyOf(pk), ...item },
        ConditionExpression: condition,
        ExpressionAttributeNames: namesIn(condition),
      },
    };
  }

  deleteOf(pk: string, check?: Check): TransactWriteItem {
    const exists = `attribute_exists(#${RECORDS.partitionKey})`;
    const condition = check ? `${exists} AND ${check.condition}` : exists;
    return {
      Delete: {
        TableName: this.#name,
        Key: keyOf(pk),
        ConditionExpression: condition,
        ExpressionAttributeNames: namesIn(condition),
        ...(check && valuesOf(check.values)),
      },
    };
  }

  /** Oldest first; the index lags behind writes. */
  keysInPhase(phase: string, before: string, most?: number): Promise<string[]> {
    return this.#keysBy(
      {
        IndexName: RECORDS.phaseIndex,
        KeyConditionExpression: `#${RECORDS.phase} = :phase AND #${RECORDS.since} < :before`,
        ExpressionAttributeValues: { ':phase': { S: phase }, ':before': { S: before } },
      },
      most,
    );
  }

  /** Newest first; the index lags behind writes. */
  keysMadeBy(owner: string, limit: number, before: string | null): Promise<string[]> {
    const older = before === null ? '' : ` AND #${RECORDS.made} < :before`;
    return this.#keysBy(
      {
        IndexName: RECORDS.ownerIndex,
        KeyConditionExpression: `#${RECORDS.owner} = :owner${older}`,
        ExpressionAttributeValues: { ':owner': { S: owner }, ...(before !== null && { ':before': { S: before } }) },
        ScanIndexForward: false,
      },
      limit,
    );
  }

  async #keysBy(
    query: Pick<
      QueryCommandInput,
      'IndexName' | 'KeyConditionExpression' | 'ExpressionAttributeValues' | 'ScanIndexForward'
    >,
    most = Number.POSITIVE_INFINITY,
  ): Promise<string[]> {
    const pages = paginateQuery(
      { client: this.#client },
      {
        TableName: this.#name,
        ...query,
        ...(Number.isFinite(most) && { Limit: most }),
        ProjectionExpression: `#${RECORDS.partitionKey}`,
        ExpressionAttributeNames: namesIn(query.KeyConditionExpression, `#${RECORDS.partitionKey}`),
      },
    );
    return guarded(async () => {
      const keys: string[] = [];
      for await (const { Items } of pages) {
        keys.push(...(Items ?? []).map((item) => item[RECORDS.partitionKey]?.S ?? ''));
        if (keys.length >= most) break;
      }
      return keys.slice(0, most);
    });
  }
}

class Unprocessed extends Error {
  override readonly name = 'ProvisionedThroughputExceededException';
}

const keyOf = (pk: string): Item => ({ [RECORDS.partitionKey]: { S: pk } });

function namesIn(...parts: (string | Record<string, string> | undefined)[]): Record<string, string> {
  const names: Record<string, string> = {};
  for (const part of parts) {
    if (typeof part !== 'string') Object.assign(names, part);
    else for (const [name] of part.matchAll(/#\w+/g)) names[name] ??= name.slice(1);
  }
  return names;
}

const reasonsOf = (error: unknown): string[] =>
  error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []).map(({ Code }) => Code ?? '') : [];

function isConflict(error: unknown): boolean {
  const reasons = reasonsOf(error);
  if (reasons.includes('ConditionalCheckFailed')) return false;
  const passing = ['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'];
  return isNamed(error, 'TransactionConflictException') || reasons.some((reason) => passing.includes(reason));
}

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isConflict(error) ? busy(error) : awsError(error, 'records');
  }
}

export const text = (value: string): AttributeValue => ({ S: value });
export const number = (value: number): AttributeValue => ({ N: String(value) });
export const texts = (values: readonly string[]): AttributeValue => ({ L: values.map(text) });
export const setOf = (value: string): AttributeValue => ({ SS: [value] });
export const nothing: AttributeValue = { NULL: true };

// Longer JSON is compressed.

const TEXT_BYTES = 16_384;
const MAX_BYTES = 16_777_216;

export function packJson(value: unknown): AttributeValue {
  const text = JSON.stringify(value);
  const bytes = Buffer.from(text);
  return bytes.byteLength <= TEXT_BYTES ? { S: text } : { B: gzipSync(bytes, { level: 9 }) };
}

export const packedBytes = (packed: AttributeValue): number =>
  packed.B?.byteLength ?? Buffer.byteLength(packed.S ?? '');

export function unpackJson(packed: AttributeValue | undefined): unknown {
  if (packed?.B) return JSON.parse(gunzipSync(packed.B, { maxOutputLength: MAX_BYTES }).toString());
  return packed?.S === undefined ? null : JSON.parse(packed.S);
}

export const STARTABLE = '#attempt = :before AND #state IN (:uploaded, :failed)';
export const STARTED = '#attempt = :attempt AND #state = :started';
export const RUNNING = '#attempt = :attempt AND #state = :running';
export const UNRELEASED = '#attempt = :attempt AND #state = :done AND attribute_not_exists(#releasedAt)';
export const ACTIVE = '#attempt = :attempt AND #state IN (:started, :running)';
export const QUEUED = '#attempt = :attempt AND #state = :queued';
export const NOT_ACTIVE = `attribute_not_exists(#attempt) OR NOT (${ACTIVE})`;
export const OWN = '#runner = :runner';

export const valuesIn = (...expressions: string[]): Item =>
  Object.fromEntries(
    expressions
      .flatMap((expression) => [
        ...expression.matchAll(/:(uploaded|queued|started|running|done|failed|active|ended)\b/g),
      ])
      .map(([placeholder, name]) => [placeholder, text(name ?? '')]),
  );

/** DynamoDB refuses an empty map. */
const valuesOf = (values: Item): { ExpressionAttributeValues?: Item } =>
  Object.keys(values).length === 0 ? {} : { ExpressionAttributeValues: values };
