/** Reads uploads in worker threads: the server answers others meanwhile, and a file that is too much harms only itself. */
import type { Worker } from 'node:worker_threads';
import { ServiceError } from '../../domain/errors.ts';
import type { UploadReader } from '../../domain/ports.ts';
import type { Profile } from '../../domain/profile/profile.ts';
import { Permits } from './permits.ts';
import { fromWorkerSchema, type ToWorker } from './workerMessages.ts';
import { WorkerPool } from './workerPool.ts';

export interface UploadReaderOptions {
  /** The worker's entry; it speaks the messages of `workerMessages.ts`. */
  entry?: URL;
  /** Uploads read at once; the rest wait. */
  atOnce?: number;
  /** Heap of one worker, in MB. */
  heapMb?: number;
  timeLimitMs?: number;
}

/** A worker that has read more keeps more memory than it is worth to keep it. */
const KEEP_AFTER_BYTES = 4_194_304;

export class WorkerUploadReader implements UploadReader {
  readonly #heapMb: number;
  readonly #timeLimitMs: number;
  readonly #permits: Permits;
  readonly #pool: WorkerPool;

  constructor(options: UploadReaderOptions = {}) {
    const { entry = new URL('./profileWorker.ts', import.meta.url), atOnce = 2 } = options;
    this.#heapMb = options.heapMb ?? 1024;
    this.#timeLimitMs = options.timeLimitMs ?? 120_000;
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
    const { promise, resolve, reject } = Promise.withResolvers<Profile>();
    const timer = setTimeout(() => reject(this.#tookTooLong()), this.#timeLimitMs);
    const onMessage = (message: unknown) => void answer(worker, source, message, resolve).catch(reject);
    const onError = (error: unknown) => reject(this.#workerFailure(error));
    const onExit = (code: number) => reject(new Error(`the reader of uploads ended with ${code} without an answer`));
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    try {
      worker.postMessage({ kind: 'start', fileName } satisfies ToWorker);
      return await promise;
    } finally {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
    }
  }

  #workerFailure(error: unknown): unknown {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')) return error;
    return new ServiceError(
      'parse_error',
      `The file needs more than ${this.#heapMb} MB of memory to be read. Save a spreadsheet as CSV, or upload fewer rows or columns.`,
    );
  }

  #tookTooLong(): ServiceError {
    return new ServiceError(
      'parse_error',
      `The file could not be read within ${this.#timeLimitMs / 1000} seconds. Save a spreadsheet as CSV, or upload fewer rows or columns.`,
    );
  }
}

/** The bytes of an upload, and how far they have been read. */
class Source {
  bytes = 0;
  ended = false;
  readonly #chunks: AsyncIterator<Uint8Array>;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async next(): Promise<Uint8Array | undefined> {
    const next = await this.#chunks.next();
    this.ended = next.done === true;
    this.bytes += next.done ? 0 : next.value.byteLength;
    return next.done ? undefined : next.value;
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
  else if (said.kind === 'refused') throw new ServiceError(said.code, said.message);
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
