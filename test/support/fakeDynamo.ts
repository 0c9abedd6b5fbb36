/**
 * DynamoDB in memory, behind the SDK's own client: for tests that interleave thousands of starts. It knows what the adapters
 * use and throws at anything else; `test/ports/dynamo.test.ts` holds it to the suites of the ports, which the emulator passes
 * as well (`npm run test:aws`).
 */
import { Readable } from 'node:stream';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { z } from 'zod';

/** An attribute value as it is sent: `{"S": "text"}`. */
type Wire = Record<string, unknown>;
type Item = Record<string, Wire>;

const wireSchema = z.record(z.string(), z.unknown());
const itemSchema = z.record(z.string(), wireSchema);
const writeSchema = z.object({
  Key: itemSchema.optional(),
  Item: itemSchema.optional(),
  UpdateExpression: z.string().optional(),
  ConditionExpression: z.string().optional(),
  ExpressionAttributeNames: z.record(z.string(), z.string()).default({}),
  ExpressionAttributeValues: itemSchema.default({}),
});
type Write = z.output<typeof writeSchema>;

const transactionSchema = z.object({
  TransactItems: z.array(
    z.object({
      Put: writeSchema.optional(),
      Update: writeSchema.optional(),
      Delete: writeSchema.optional(),
      ConditionCheck: writeSchema.optional(),
    }),
  ),
});
const getSchema = z.object({ Key: itemSchema });
const batchSchema = z.object({ RequestItems: z.record(z.string(), z.object({ Keys: z.array(itemSchema) })) });
const querySchema = z.object({
  IndexName: z.string(),
  KeyConditionExpression: z.string(),
  ExpressionAttributeNames: z.record(z.string(), z.string()),
  ExpressionAttributeValues: itemSchema,
  ScanIndexForward: z.boolean().default(true),
});

/** A reply that is an error, by its name. */
class Refusal extends Error {
  readonly more: object;

  constructor(name: string, more: object = {}) {
    super(name);
    this.more = more;
  }
}

const PK = 'pk';
const pkOf = (item: Item): string => String(item[PK]?.S);

export class FakeDynamo {
  readonly items = new Map<string, Item>();

  client(): DynamoDBClient {
    return new DynamoDBClient({
      region: 'eu-central-1',
      credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
      maxAttempts: 1,
      requestHandler: {
        handle: async ({ headers, body }: { headers: Record<string, string>; body?: unknown }) => {
          const operation = headers['x-amz-target']?.split('.').at(-1) ?? '';
          return { response: this.#answer(operation, JSON.parse(textOf(body))) };
        },
      },
    });
  }

  #answer(operation: string, input: unknown) {
    try {
      return reply(200, this.#run(operation, input));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return reply(400, { __type: `com.amazonaws.dynamodb.v20120810#${error.message}`, ...error.more });
    }
  }

  #run(operation: string, input: unknown): object {
    switch (operation) {
      case 'GetItem':
        return { Item: this.items.get(pkOf(getSchema.parse(input).Key)) };
      case 'BatchGetItem':
        return this.#batchGet(batchSchema.parse(input).RequestItems);
      case 'UpdateItem':
        return this.#update(writeSchema.parse(input));
      case 'TransactWriteItems':
        return this.#transact(transactionSchema.parse(input).TransactItems);
      case 'Query':
        return this.#query(querySchema.parse(input));
      default:
        throw new Error(`the fake knows no ${operation}`);
    }
  }

  #batchGet(asked: Record<string, { Keys: Item[] }>): object {
    const Responses = Object.entries(asked).map(([table, { Keys }]) => {
      const found = Keys.map((key) => this.items.get(pkOf(key)));
      return [table, found.filter((item) => item !== undefined)] as const;
    });
    return { Responses: Object.fromEntries(Responses), UnprocessedKeys: {} };
  }

  #update(write: Write): object {
    const old = this.items.get(pkOf(write.Key ?? {}));
    if (!holds(write, old)) throw new Refusal('ConditionalCheckFailedException', { Item: old });
    this.#write(write, old);
    return {};
  }

  #transact(parts: z.output<typeof transactionSchema>['TransactItems']): object {
    const writes = parts.map(({ Put, Update, Delete, ConditionCheck }) => {
      const write = Put ?? Update ?? Delete ?? ConditionCheck;
      if (!write) throw new Error('a part of a transaction that the fake does not know');
      return {
        write,
        pk: pkOf(write.Key ?? write.Item ?? {}),
        kind: Delete ? 'delete' : Put ? 'put' : Update ? 'update' : 'check',
      };
    });
    if (new Set(writes.map(({ pk }) => pk)).size < writes.length) throw new Refusal('ValidationException');
    const held = writes.map(({ write, pk }) => holds(write, this.items.get(pk)));
    if (held.includes(false)) {
      const CancellationReasons = held.map((isHeld) => ({ Code: isHeld ? 'None' : 'ConditionalCheckFailed' }));
      throw new Refusal('TransactionCanceledException', { CancellationReasons });
    }
    for (const { write, pk, kind } of writes) {
      if (kind === 'delete') this.items.delete(pk);
      if (kind === 'put') this.items.set(pk, structuredClone(write.Item ?? {}));
      if (kind === 'update') this.#write(write, this.items.get(pk));
    }
    return {};
  }

  #write(write: Write, old: Item | undefined): void {
    const item = structuredClone(old ?? write.Key ?? {});
    applyUpdate(item, write);
    this.items.set(pkOf(item), item);
  }

  /** `#a = :a` and perhaps `AND #b < :b`, sorted by the second attribute of the index. */
  #query({ KeyConditionExpression, ScanIndexForward, ...query }: z.output<typeof querySchema>): object {
    const range = query.IndexName === 'byPhase' ? 'since' : 'made';
    const write = { ...query, ConditionExpression: KeyConditionExpression, Item: undefined };
    const found = [...this.items.values()].filter((item) => item[range] && holds(writeSchema.parse(write), item));
    found.sort((a, b) => (String(a[range]?.S) < String(b[range]?.S) ? -1 : 1) * (ScanIndexForward ? 1 : -1));
    return { Items: found.map((item) => ({ [PK]: item[PK] })) };
  }
}

const textOf = (body: unknown): string => (body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body));

const reply = (statusCode: number, body: object) => ({
  statusCode,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: Readable.from([Buffer.from(JSON.stringify(body))]),
});

// Expressions.

const TOKEN = /\s*(<>|<=|>=|[=<>(),+-]|[#:\w.]+)/gy;

/** The tokens of an expression, read one after the other. */
class Tokens {
  readonly #tokens: string[];
  #at = 0;

  constructor(expression: string) {
    this.#tokens = [...expression.trim().matchAll(TOKEN)].map(([, token]) => token ?? '');
    if (this.#tokens.join('') !== expression.replaceAll(/\s/g, ''))
      throw new Error(`the fake cannot read ${expression}`);
  }

  get next(): string {
    return this.#tokens[this.#at] ?? '';
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  take(): string {
    this.#at += 1;
    return this.#tokens[this.#at - 1] ?? '';
  }

  passed(token: string): boolean {
    if (this.next !== token) return false;
    this.#at += 1;
    return true;
  }

  expect(token: string): void {
    if (!this.passed(token)) throw new Error(`the fake expected ${token}, found ${this.next}`);
  }
}

function holds(write: Write, item: Item | undefined): boolean {
  if (write.ConditionExpression === undefined) return true;
  const tokens = new Tokens(write.ConditionExpression);
  const result = new Condition(tokens, write, item ?? {}).either();
  if (!tokens.isAtEnd) throw new Error(`the fake cannot read ${write.ConditionExpression} from ${tokens.next} on`);
  return result;
}

/** Values of a path or a placeholder, shared by conditions and updates. */
class Operands {
  readonly tokens: Tokens;
  readonly write: Write;
  readonly item: Item;

  constructor(tokens: Tokens, write: Write, item: Item) {
    this.tokens = tokens;
    this.write = write;
    this.item = item;
  }

  nameOf(part: string): string {
    const name = this.write.ExpressionAttributeNames[part];
    if (name === undefined) throw new Refusal('ValidationException', { message: `no name ${part}` });
    return name;
  }

  at(path: string): Wire | undefined {
    const [first = '', ...rest] = path.split('.').map((part) => this.nameOf(part));
    let value: Wire | undefined = this.item[first];
    for (const name of rest) value = mapOf(value)?.[name];
    return value;
  }

  named(token: string): Wire {
    const value = this.write.ExpressionAttributeValues[token];
    if (value === undefined) throw new Refusal('ValidationException', { message: `no value ${token}` });
    return value;
  }

  operand(): Wire | undefined {
    const token = this.tokens.take();
    if (token.startsWith('#')) return this.at(token);
    if (token.startsWith(':')) return this.named(token);
    this.tokens.expect('(');
    const first = this.operand();
    if (token === 'size') {
      this.tokens.expect(')');
      return first && { N: String(sizeOf(first)) };
    }
    this.tokens.expect(',');
    const second = this.operand();
    this.tokens.expect(')');
    if (token === 'if_not_exists') return first ?? second;
    if (token === 'list_append') return { L: [...listOf(first), ...listOf(second)] };
    throw new Error(`the fake knows no function ${token}`);
  }
}

class Condition extends Operands {
  either(): boolean {
    let result = this.both();
    while (this.tokens.passed('OR')) result = this.both() || result;
    return result;
  }

  both(): boolean {
    let result = this.one();
    while (this.tokens.passed('AND')) result = this.one() && result;
    return result;
  }

  one(): boolean {
    if (this.tokens.passed('NOT')) return !this.one();
    if (this.tokens.passed('(')) {
      const result = this.either();
      this.tokens.expect(')');
      return result;
    }
    if (['attribute_exists', 'attribute_not_exists', 'contains'].includes(this.tokens.next)) return this.asked();
    return this.compared();
  }

  asked(): boolean {
    const name = this.tokens.take();
    this.tokens.expect('(');
    const value = this.operand();
    if (name === 'contains') this.tokens.expect(',');
    const member = name === 'contains' ? this.operand() : undefined;
    this.tokens.expect(')');
    if (name === 'contains') return setIn(value).includes(String(member?.S));
    return (value !== undefined) === (name === 'attribute_exists');
  }

  compared(): boolean {
    const left = this.operand();
    const operator = this.tokens.take();
    if (operator === 'IN') {
      this.tokens.expect('(');
      const options = [this.operand()];
      while (this.tokens.passed(',')) options.push(this.operand());
      this.tokens.expect(')');
      return options.some((option) => isEqual(left, option));
    }
    const right = this.operand();
    if (operator === '=') return isEqual(left, right);
    if (operator === '<>') return !isEqual(left, right);
    if (left === undefined || right === undefined) return false;
    const difference = left.N === undefined ? compareTexts(left, right) : Number(left.N) - Number(right.N);
    if (operator === '<') return difference < 0;
    if (operator === '<=') return difference <= 0;
    throw new Error(`the fake knows no ${operator}`);
  }
}

function applyUpdate(item: Item, write: Write): void {
  const tokens = new Tokens(write.UpdateExpression ?? '');
  const before = structuredClone(item);
  const operands = new Operands(tokens, write, before);
  while (!tokens.isAtEnd) {
    const clause = tokens.take();
    do {
      const name = operands.nameOf(tokens.take());
      if (clause === 'REMOVE') delete item[name];
      else if (clause === 'SET') item[name] = assigned(operands);
      else change(item, name, clause, operands.named(tokens.take()));
    } while (tokens.passed(','));
  }
}

function assigned(operands: Operands): Wire {
  operands.tokens.expect('=');
  const value = operands.operand();
  if (!value) throw new Refusal('ValidationException', { message: 'an attribute that is not there' });
  if (!operands.tokens.passed('+')) return value;
  return { N: String(Number(value.N) + Number(operands.operand()?.N)) };
}

function change(item: Item, name: string, clause: string, by: Wire): void {
  const old = item[name];
  if (clause === 'ADD' && by.N !== undefined) item[name] = { N: String(Number(old?.N ?? 0) + Number(by.N)) };
  else if (clause === 'ADD') item[name] = { SS: [...new Set([...setIn(old), ...setIn(by)])] };
  else if (clause === 'DELETE') {
    const left = setIn(old).filter((member) => !setIn(by).includes(member));
    if (left.length > 0) item[name] = { SS: left };
    else delete item[name];
  } else throw new Error(`the fake knows no ${clause}`);
}

const setIn = (value: Wire | undefined): string[] => z.array(z.string()).parse(value?.SS ?? []);
const listOf = (value: Wire | undefined): unknown[] => z.array(z.unknown()).parse(value?.L ?? []);
const mapOf = (value: Wire | undefined): Item | undefined => itemSchema.optional().parse(value?.M);
const sizeOf = (value: Wire): number => (value.SS ? setIn(value).length : listOf(value).length);
const isEqual = (a: Wire | undefined, b: Wire | undefined): boolean =>
  a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b);
const compareTexts = (a: Wire, b: Wire): number => (String(a.S) < String(b.S) ? -1 : String(a.S) > String(b.S) ? 1 : 0);
