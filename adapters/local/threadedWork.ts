/** Stores converted results, so that a slow client holds no thread. */
import type { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { ServiceError } from '../../packages/contract/errors.ts';
import { familyChoiceSchema } from '../../packages/contract/families.ts';
import { estimateSchema } from '../../packages/contract/replies.ts';
import { type Machine, thisMachine } from '../../packages/synthesis/estimate/machine.ts';
import { rowDigestSchema } from '../../packages/tables/profile/rowDigest.ts';
import { FairPermits } from '../../service/fairPermits.ts';
import {
  answerQuestion,
  bodyOf,
  type Conversion,
  type Converted,
  type HeavyWork,
  type Question,
  type WorkFor,
} from '../../service/heavyWork.ts';
import { jobEstimateSchema } from '../../service/job/job.ts';
import type { ObjectStore } from '../../service/ports.ts';
import { type Ending, type FromHeavyWorker, fromHeavyWorkerSchema, type ToHeavyWorker } from './workerMessages.ts';
import { Conversation, sendChunk, WorkerPool, wholeBuffer } from './workerPool.ts';

/** Leaves a thread to other keys. */
const AT_ONCE = 2;
const PER_KEY = 1;
const HEAP_MB = 1024;

/** Profiles below this take milliseconds, less than asking a thread. */
const QUICK_BYTES = 65_536;

/** Larger work leaves too much memory in a worker. */
const KEEP_AFTER_BYTES = 4_194_304;

const checkedSchema = z.object({
  keys: z.array(z.string()),
  estimate: jobEstimateSchema,
  target_col: z.string().nullable(),
  row_digest: rowDigestSchema.nullable(),
});

interface ThreadedWorkOptions {
  objects: ObjectStore;
  entry?: URL;
  machine?: Machine;
}

interface Making {
  made: Promise<boolean>;
  stop: AbortController;
  waiting: number;
}

export class ThreadedWork implements HeavyWork {
  readonly #objects: ObjectStore;
  readonly #machine: Machine;
  readonly #permits = new FairPermits(AT_ONCE, PER_KEY);
  readonly #pool: WorkerPool;
  readonly #making = new Map<string, Making>();

  constructor({
    objects,
    entry = new URL('./heavyWorker.ts', import.meta.url),
    machine = thisMachine(),
  }: ThreadedWorkOptions) {
    this.#objects = objects;
    this.#machine = machine;
    this.#pool = new WorkerPool({ entry, heapMb: HEAP_MB, kept: AT_ONCE });
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  detectFamily: HeavyWork['detectFamily'] = async (profile, target, as) =>
    familyChoiceSchema.parse(await this.#ask({ kind: 'family', target }, profile, as));

  estimate: HeavyWork['estimate'] = async (profile, request, prices, as) =>
    estimateSchema.parse(await this.#ask({ kind: 'estimate', request, prices, machine: this.#machine }, profile, as));

  estimateComparison: HeavyWork['estimateComparison'] = async (profile, comparison, as) =>
    estimateSchema.parse(await this.#check({ kind: 'comparison', ...comparison, machine: this.#machine }, profile, as));

  countRows: HeavyWork['countRows'] = async (profile, as) =>
    z.int().parse(await this.#check({ kind: 'rows' }, profile, as));

  checkRequest: HeavyWork['checkRequest'] = async (profile, request, as) =>
    checkedSchema.parse(await this.#check({ kind: 'check', request, machine: this.#machine }, profile, as));

  checkConditions: HeavyWork['checkConditions'] = async (profile, request, as) =>
    jobEstimateSchema.parse(await this.#check({ kind: 'conditions', request, machine: this.#machine }, profile, as));

  async convert(conversion: Conversion, as: WorkFor): Promise<Converted | undefined> {
    const kept = await this.#objects.get(conversion.target);
    if (kept) return kept;
    return (await this.#makeOnce(conversion, as)) ? this.#objects.get(conversion.target) : undefined;
  }

  async #check(question: Question, profile: Uint8Array, as: WorkFor): Promise<unknown> {
    return profile.byteLength <= QUICK_BYTES ? answerQuestion(question, profile) : this.#ask(question, profile, as);
  }

  #ask(question: Question, profile: Uint8Array, { keyId, signal }: WorkFor): Promise<unknown> {
    const isSmall = profile.byteLength <= KEEP_AFTER_BYTES;
    const task = () =>
      this.#pool.lend(
        (worker) => answerTo(new Conversation(worker, signal), question, wholeBuffer(profile)),
        () => isSmall,
      );
    return this.#permits.run(keyId, task, signal);
  }

  /** Shares one conversion among its callers; stops when the last leaves. Returns false without a source. */
  async #makeOnce(conversion: Conversion, { keyId, signal }: WorkFor): Promise<boolean> {
    const found = this.#making.get(conversion.target);
    const making = found && !found.stop.signal.aborted ? found : this.#begin(conversion, keyId);
    making.waiting += 1;
    const onAbort = () => {
      making.waiting -= 1;
      if (making.waiting === 0) making.stop.abort(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    try {
      return await making.made;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  #begin(conversion: Conversion, keyId: string): Making {
    const stop = new AbortController();
    const made = this.#permits
      .run(keyId, () => this.#make(conversion, stop.signal), stop.signal)
      .finally(() => {
        if (this.#making.get(conversion.target) === making) this.#making.delete(conversion.target);
      });
    const making: Making = { made, stop, waiting: 0 };
    this.#making.set(conversion.target, making);
    return making;
  }

  async #make(conversion: Conversion, signal: AbortSignal): Promise<boolean> {
    const source = await this.#objects.get(conversion.source);
    if (!source) return false;
    const { bytes } = source;
    const make = (worker: Worker) =>
      this.#objects.put(conversion.target, piecesOf(new Conversation(worker, signal), conversion, this.#objects));
    await this.#pool.lend(make, () => bytes <= KEEP_AFTER_BYTES);
    return true;
  }
}

async function answerTo(talk: Conversation, question: Question, profile: Uint8Array<ArrayBuffer>): Promise<unknown> {
  try {
    talk.say({ kind: 'ask', question, profile } satisfies ToHeavyWorker, [profile.buffer]);
    const said = await hear(talk);
    if (said.kind === 'answer') return said.answer;
    throw outOfTurn(said.kind);
  } finally {
    talk.close();
  }
}

async function* piecesOf(
  talk: Conversation,
  { source, format, numeric }: Conversion,
  objects: ObjectStore,
): AsyncGenerator<Uint8Array> {
  let table: AsyncGenerator<Uint8Array> | undefined;
  try {
    talk.say({ kind: 'convert', format, numeric: [...numeric] } satisfies ToHeavyWorker);
    for (;;) {
      const said = await hear(talk);
      if (said.kind === 'converted') return;
      if (said.kind === 'open') table = bodyOf(objects, source);
      else if (said.kind === 'pull') sendChunk(talk, (await table?.next())?.value);
      else if (said.kind === 'piece') {
        yield said.bytes;
        talk.say({ kind: 'next' } satisfies ToHeavyWorker);
      } else throw outOfTurn(said.kind);
    }
  } finally {
    talk.close();
    await table?.return(undefined);
  }
}

async function hear(talk: Conversation): Promise<Exclude<FromHeavyWorker, Ending>> {
  const said = fromHeavyWorkerSchema.parse(await talk.next());
  if (said.kind === 'refused') throw new ServiceError(said.params, { field: said.field });
  if (said.kind === 'failed') throw new Error(`a worker thread failed: ${said.fault}`);
  return said;
}

const outOfTurn = (kind: string): Error => new Error(`a worker thread said ${kind} out of turn`);
