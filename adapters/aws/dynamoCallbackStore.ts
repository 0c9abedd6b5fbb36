/** Callbacks in DynamoDB, one item per job. Only waiting ones are in the phase index, by due time. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { CALLBACK_STATES } from '../../packages/contract/states.ts';
import type { Callback } from '../../service/callback/callbackUrl.ts';
import type { CallbackStore } from '../../service/ports.ts';
import { CALLBACK_PHASE, ITEMS, RECORDS } from './names.ts';
import { type Item, nothing, number, type RecordTable, text } from './recordTable.ts';

const itemKey = (jobId: string): string => `${ITEMS.callbackPrefix}${jobId}`;
const secretKey = (keyId: string): string => `${ITEMS.callbackSecretPrefix}${keyId}`;

const SAME_TRY = '#attempt = :attempt AND #state = :waiting AND #tries = :tries';

const callbackSchema = z.object({
  jobId: z.string(),
  attempt: z.int(),
  keyId: z.string(),
  url: z.string(),
  state: z.enum(CALLBACK_STATES),
  tries: z.int(),
  dueAt: z.string(),
  lastAnswer: z.string().nullable(),
});

export class DynamoCallbackStore implements CallbackStore {
  readonly #table: RecordTable;

  constructor(table: RecordTable) {
    this.#table = table;
  }

  async enqueue({ jobId, attempt, keyId, url }: Parameters<CallbackStore['enqueue']>[0], at: string): Promise<void> {
    await this.#table.update(itemKey(jobId), {
      update: `SET #attempt = :attempt, #caller = :caller, #url = :url, #state = :waiting, #tries = :none, #dueAt = :at,
        #lastAnswer = :nothing, #${RECORDS.phase} = :phase, #${RECORDS.since} = :at`,
      values: {
        ':attempt': number(attempt),
        ':caller': text(keyId),
        ':url': text(url),
        ':waiting': text('waiting'),
        ':none': number(0),
        ':at': text(at),
        ':nothing': nothing,
        ':phase': text(CALLBACK_PHASE),
      },
    });
  }

  async find(jobId: string): Promise<Callback | undefined> {
    const item = await this.#table.get(itemKey(jobId));
    return item && callbackOf(item);
  }

  async due(at: string, limit: number): Promise<Callback[]> {
    const keys = await this.#table.keysInPhase(CALLBACK_PHASE, at, limit);
    const found = (await this.#table.getAll(keys)).map(callbackOf);
    return found
      .filter(({ state, dueAt }) => state === 'waiting' && dueAt < at)
      .sort((a, b) => (a.dueAt === b.dueAt ? compare(a.jobId, b.jobId) : compare(a.dueAt, b.dueAt)));
  }

  async take(callback: Callback, until: string): Promise<boolean> {
    const { held } = await this.#table.update(itemKey(callback.jobId), {
      update: `SET #tries = :next, #dueAt = :until, #${RECORDS.since} = :until`,
      condition: SAME_TRY,
      values: { ...valuesOf(callback), ':next': number(callback.tries + 1), ':until': text(until) },
    });
    return held;
  }

  async note(callback: Callback, { state, dueAt, lastAnswer }: Parameters<CallbackStore['note']>[1]): Promise<boolean> {
    const waits = state === 'waiting';
    const { held } = await this.#table.update(itemKey(callback.jobId), {
      update: `SET #state = :state, #dueAt = :dueAt, #lastAnswer = :answer${waits ? `, #${RECORDS.since} = :dueAt` : ''}
        ${waits ? '' : `REMOVE #${RECORDS.phase}, #${RECORDS.since}`}`,
      condition: SAME_TRY,
      values: {
        ...valuesOf(callback),
        ':state': text(state),
        ':dueAt': text(dueAt),
        ':answer': lastAnswer === null ? nothing : text(lastAnswer),
      },
    });
    return held;
  }

  async erase(jobId: string, attempt?: number): Promise<void> {
    const only = { condition: '#attempt = :attempt', values: { ':attempt': number(attempt ?? 0) } };
    await this.#table.transact([this.#table.deleteOf(itemKey(jobId), attempt === undefined ? undefined : only)]);
  }

  /** Concurrent processes all use the first secret written. */
  async secretOf(keyId: string): Promise<Uint8Array> {
    const found = await this.#readSecret(keyId);
    if (found) return found;
    await this.#table.transact([this.#table.putNewOf(secretKey(keyId), { secret: { B: randomBytes(32) } })]);
    const made = await this.#readSecret(keyId);
    if (!made) throw new Error('the secret of a key was written and is not there');
    return made;
  }

  async #readSecret(keyId: string): Promise<Uint8Array | undefined> {
    return (await this.#table.get(secretKey(keyId)))?.secret?.B;
  }
}

const valuesOf = ({ attempt, tries }: Callback): Item => ({
  ':attempt': number(attempt),
  ':tries': number(tries),
  ':waiting': text('waiting'),
});

const callbackOf = (item: Item): Callback =>
  callbackSchema.parse({
    jobId: item[RECORDS.partitionKey]?.S?.slice(ITEMS.callbackPrefix.length),
    attempt: Number(item.attempt?.N),
    keyId: item.caller?.S,
    url: item.url?.S,
    state: item.state?.S,
    tries: Number(item.tries?.N),
    dueAt: item.dueAt?.S,
    lastAnswer: item.lastAnswer?.S ?? null,
  });

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
