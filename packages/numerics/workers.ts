import { on, once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { isMemory } from './wasm/assemble.ts';

/** How long to wait for a thread to exit. */
const END_MS = 2000;
/** Interval at which a running thread is checked for cancellation. */
const LOOK_MS = 25;

export class WorkerDiedError extends Error {
  override readonly name = 'WorkerDiedError';
  readonly outOfMemory: boolean;

  constructor(cause: unknown) {
    super(`A worker thread died: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.outOfMemory = cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
  }
}

/** Passes only NODE_COMPILE_CACHE to the thread; the code cache halves start-up time. */
export function startThread(entry: URL, workerData?: unknown): Worker {
  const { NODE_COMPILE_CACHE } = process.env;
  const env = NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {};
  const worker = new Worker(entry, { workerData, env, execArgv: ['--disable-warning=ExperimentalWarning'] });
  // Between replies, an error must not end the process.
  worker.on('error', () => undefined);
  return worker;
}

/** Returns the next message, unvalidated: both sides run the same code. Throws WorkerDiedError. */
export async function replyOf<Reply>(worker: Worker): Promise<Reply> {
  const over = new AbortController();
  try {
    const ended = once(worker, 'exit', { signal: over.signal }).then(() => {
      throw new Error('it ended by itself');
    });
    const [reply] = await Promise.race([once(worker, 'message', { signal: over.signal }), ended]);
    return reply;
  } catch (error) {
    throw new WorkerDiedError(error);
  } finally {
    over.abort();
  }
}

/** Yields messages, unvalidated, until the thread ends; then throws WorkerDiedError. */
export async function* messagesOf<Message>(worker: Worker): AsyncGenerator<Message, never> {
  try {
    for await (const [message] of on(worker, 'message', { close: ['exit'] })) yield message;
  } catch (error) {
    throw new WorkerDiedError(error);
  }
  throw new WorkerDiedError(new Error('it ended by itself'));
}

/** Awaits `work` and calls `look` meanwhile. Throws what `look` throws. */
export async function watched<T>(work: Promise<T>, look: () => Promise<void>): Promise<T> {
  let working = true;
  const done = work.finally(() => {
    working = false;
  });
  // Prevents an unhandled rejection.
  done.catch(() => undefined);
  while (working) {
    let timer: NodeJS.Timeout | undefined;
    const looked = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LOOK_MS);
    });
    await Promise.race([done, looked]).finally(() => clearTimeout(timer));
    await look();
  }
  return done;
}

/** Sends `null` to make idle threads exit, which is safer than terminating them. */
export async function endIdle(workers: readonly Worker[]): Promise<void> {
  await Promise.all(
    workers.map(async (worker) => {
      const ended = once(worker, 'exit', { signal: AbortSignal.timeout(END_MS) });
      worker.postMessage(null);
      await ended.catch(() => undefined);
    }),
  );
}

type NumberArray = Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array;
const NUMBER_ARRAYS: readonly (new (memory: ArrayBufferLike) => NumberArray)[] = [
  Float64Array,
  Float32Array,
  Int32Array,
  Uint32Array,
  Uint8Array,
];

/**
 * Moves number arrays to shared memory; each is copied at most once. Throws a TypeError unless `data` has only plain
 * objects, arrays, maps, memories and primitives.
 */
export function shareArrays<Data>(data: Data): Data {
  const seen = new Map<object, unknown>();
  const share = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const known = seen.get(value);
    if (known !== undefined) return known;
    const shared = shareObject(value, share);
    seen.set(value, shared);
    return shared;
  };
  // The walk preserves the shape.
  return share(data) as Data;
}

function shareObject(value: object, share: (value: unknown) => unknown): unknown {
  for (const Kind of NUMBER_ARRAYS) if (value instanceof Kind) return onSharedMemory(value, Kind);
  if (Array.isArray(value)) return value.map(share);
  if (value instanceof Map) return new Map([...value].map(([key, inner]) => [key, share(inner)]));
  if (isMemory(value)) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype)
    throw new TypeError(`no plain data: ${value.constructor?.name}`);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, share(inner)]));
}

function onSharedMemory(array: NumberArray, Kind: (typeof NUMBER_ARRAYS)[number]): NumberArray {
  if (array.buffer instanceof SharedArrayBuffer) return array;
  const out = new Kind(new SharedArrayBuffer(array.byteLength));
  out.set(array);
  return out;
}
