/** Reads uploads in worker threads: the server answers others meanwhile, and a file that is too much harms only itself. */
import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../packages/contract/errors.ts';
import type { Profile } from '../../packages/tables/profile/profile.ts';
import type { UploadReader } from '../../service/ports.ts';
import { compileCacheEnvironment } from './cacheFolder.ts';
import { fromWorkerSchema, type ToWorker } from './workerMessages.ts';

export interface UploadReaderOptions {
  /** The worker's entry; it speaks the messages of `workerMessages.ts`. */
  entry?: URL;
  /** Uploads read at once; the rest wait. */
  atOnce?: number;
  /** Heap of one worker, in MB. */
  heapMb?: number;
  timeLimitMs?: number;
  /** Time for a spreadsheet once all its bytes are there, by its kind: a start, and more for each MB. */
  sheetLimits?: Record<SheetKind, SheetLimit>;
}

/** Zipped (.xlsx), or of records (.xls). */
type SheetKind = 'zip' | 'records';

interface SheetLimit {
  startMs: number;
  msPerMb: number;
}

/** About four times what the parser takes for a table; a zipped MB may hold ten of cells. */
const SHEET_LIMITS: Record<SheetKind, SheetLimit> = {
  zip: { startMs: 10_000, msPerMb: 2500 },
  records: { startMs: 4000, msPerMb: 1000 },
};

const SHEET_BEGINS: Record<SheetKind, readonly number[]> = {
  zip: [0x50, 0x4b],
  records: [0xd0, 0xcf, 0x11, 0xe0],
};

/** A worker that has read more keeps more memory than it is worth to keep it. */
const KEEP_AFTER_BYTES = 4_194_304;

export class WorkerUploadReader implements UploadReader {
  readonly #heapMb: number;
  readonly #timeLimitMs: number;
  readonly #sheetLimits: Record<SheetKind, SheetLimit>;
  readonly #permits: Permits;
  readonly #pool: WorkerPool;

  constructor(options: UploadReaderOptions = {}) {
    const { entry = new URL('./profileWorker.ts', import.meta.url), atOnce = 2 } = options;
    this.#heapMb = options.heapMb ?? 1024;
    this.#timeLimitMs = options.timeLimitMs ?? 120_000;
    this.#sheetLimits = options.sheetLimits ?? SHEET_LIMITS;
    this.#permits = new Permits(atOnce);
    this.#pool = new WorkerPool({ entry, heapMb: this.#heapMb, kept: atOnce });
  }

  profile(bytes: AsyncIterable<Uint8Array>, fileName: string): Promise<Profile> {
    return this.#permits.run(async () => {
      const worker = this.#pool.take();
      const source = new Source(bytes);
      try {
        const profile = await this.#converse(worker, source, fileName);
        if (source.ended && source.bytes <= KEEP_AFTER_BYTES) await this.#pool.giveBack(worker);
        else await this.#pool.discard(worker);
        return profile;
      } catch (error) {
        await this.#pool.discard(worker);
        throw error;
      } finally {
        await source.close();
      }
    });
  }

  /** Ends the idle workers. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  /** Answers each pull with the next chunk until the worker says what it found. */
  async #converse(worker: Worker, source: Source, fileName: string): Promise<Profile> {
    const { promise, resolve, reject } = withResolvers<Profile>();
    const timers: NodeJS.Timeout[] = [];
    const limit = (ms: number) => timers.push(setTimeout(() => reject(tookTooLong(ms)), ms));
    limit(this.#timeLimitMs);
    source.onEnd = () => {
      const sheetMs = this.#sheetMs(source);
      if (sheetMs !== undefined) limit(sheetMs);
    };
    const onMessage = (message: unknown) => void answer(worker, source, message, resolve).catch(reject);
    const onError = (error: unknown) => reject(this.#workerFailure(error));
    const onExit = (code: number) => reject(new Error(`the reader of uploads ended with ${code} without an answer`));
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    try {
      worker.postMessage({ kind: 'start', fileName } satisfies ToWorker);
      return await promise;
    } finally {
      for (const timer of timers) clearTimeout(timer);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
    }
  }

  /** How long the parser may take; undefined for text, which is read as it comes in. */
  #sheetMs({ head, bytes }: Source): number | undefined {
    for (const kind of ['zip', 'records'] as const) {
      if (!SHEET_BEGINS[kind].every((byte, index) => head[index] === byte)) continue;
      const { startMs, msPerMb } = this.#sheetLimits[kind];
      return Math.round(startMs + (msPerMb * bytes) / 2 ** 20);
    }
    return undefined;
  }

  #workerFailure(error: unknown): unknown {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')) return error;
    return new ServiceError({ reason: 'reading_out_of_memory', max_mb: this.#heapMb });
  }
}

const tookTooLong = (limitMs: number): ServiceError =>
  new ServiceError({ reason: 'reading_out_of_time', seconds: Math.round(limitMs / 100) / 10 });

const HEAD_BYTES = 4;

/** The bytes of an upload, and how far they have been read. */
class Source {
  bytes = 0;
  ended = false;
  /** The first bytes. */
  head = new Uint8Array(0);
  onEnd: () => void = () => undefined;
  readonly #chunks: AsyncIterator<Uint8Array>;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async next(): Promise<Uint8Array | undefined> {
    const next = await this.#chunks.next();
    this.ended = next.done === true;
    if (next.done) {
      this.onEnd();
      return undefined;
    }
    if (this.head.length < HEAD_BYTES) {
      this.head = Uint8Array.from([...this.head, ...next.value.subarray(0, HEAD_BYTES - this.head.length)]);
    }
    this.bytes += next.value.byteLength;
    return next.value;
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}

async function answer(
  worker: Worker,
  source: Source,
  message: unknown,
  resolve: (profile: Profile) => void,
): Promise<void> {
  const said = fromWorkerSchema.parse(message);
  if (said.kind === 'profile') resolve(said.profile);
  else if (said.kind === 'refused') throw new ServiceError(said.params);
  else if (said.kind === 'failed') throw new Error(`an upload could not be read: ${said.fault}`);
  else await sendNext(worker, source);
}

async function sendNext(worker: Worker, source: Source): Promise<void> {
  const chunk = await source.next();
  if (!chunk) return worker.postMessage({ kind: 'end' } satisfies ToWorker);
  const bytes = wholeBuffer(chunk);
  worker.postMessage({ kind: 'chunk', bytes } satisfies ToWorker, [bytes.buffer]);
}

/** The chunk in a buffer of its own, which can be given away. */
function wholeBuffer(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = chunk;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === chunk.byteLength && !Buffer.isBuffer(chunk);
  return isWhole ? new Uint8Array(buffer) : new Uint8Array(chunk);
}

/** Lets a bounded number of tasks run at once; the rest wait their turn, first come, first served. */
class Permits {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    await this.#take();
    try {
      return await task();
    } finally {
      this.#give();
    }
  }

  #take(): Promise<void> | undefined {
    if (this.#free === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#free -= 1;
    return undefined;
  }

  #give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}

// Worker threads that are kept for a while after their work, since to start one takes longer than to read a small
// file.

const IDLE_MS = 10_000;

interface WorkerPoolOptions {
  entry: URL;
  heapMb: number;
  /** Idle workers kept, at most. */
  kept: number;
}

class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #idle = new Map<Worker, NodeJS.Timeout>();

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** An idle worker, or a new one. */
  take(): Worker {
    const [idle] = this.#idle.keys();
    if (!idle) return this.#start();
    clearTimeout(this.#idle.get(idle));
    this.#idle.delete(idle);
    idle.ref();
    return idle;
  }

  /** For a worker that waits for its next work. */
  async giveBack(worker: Worker): Promise<void> {
    if (this.#idle.size >= this.#options.kept) return this.discard(worker);
    worker.unref();
    this.#idle.set(worker, setTimeout(() => void this.discard(worker), IDLE_MS).unref());
  }

  /** Ends a worker, whatever it does. */
  async discard(worker: Worker): Promise<void> {
    clearTimeout(this.#idle.get(worker));
    this.#idle.delete(worker);
    await worker.terminate();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#idle.keys()].map((worker) => this.discard(worker)));
  }

  #start(): Worker {
    const { entry, heapMb } = this.#options;
    const worker = new Worker(entry, {
      env: compileCacheEnvironment(),
      execArgv: ['--disable-warning=ExperimentalWarning'],
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    // One that ends while it is idle is not taken again; while it works, its user listens too.
    worker.on('error', () => void this.discard(worker));
    worker.on('exit', () => void this.discard(worker));
    return worker;
  }
}

/** `Promise.withResolvers`, which Node 20 has not. */
function withResolvers<T>() {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return { promise, resolve, reject };
}
