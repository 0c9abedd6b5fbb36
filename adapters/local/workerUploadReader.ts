/** Reads uploads in worker threads: the server answers others meanwhile, and a file that is too much harms only itself. */
import { Worker } from 'node:worker_threads';
import { ServiceError } from '../../domain/errors.ts';
import type { UploadReader } from '../../domain/ports.ts';
import type { Profile } from '../../domain/profile/profile.ts';
import { Permits } from './permits.ts';
import { fromWorkerSchema, type ToWorker } from './workerMessages.ts';

export interface UploadReaderOptions {
  /** The worker's entry; it speaks the messages of `workerMessages.ts`. */
  entry?: URL;
  /** Uploads read at once; the rest wait. */
  atOnce?: number;
  /** Heap of one worker, in MB. */
  heapMb?: number;
  timeLimitMs?: number;
}

export class WorkerUploadReader implements UploadReader {
  readonly #options: Required<UploadReaderOptions>;
  readonly #permits: Permits;

  constructor(options: UploadReaderOptions = {}) {
    this.#options = {
      entry: new URL('./profileWorker.ts', import.meta.url),
      atOnce: 2,
      heapMb: 1024,
      timeLimitMs: 120_000,
      ...options,
    };
    this.#permits = new Permits(this.#options.atOnce);
  }

  profile(bytes: AsyncIterable<Uint8Array>, fileName: string): Promise<Profile> {
    return this.#permits.run(async () => {
      const worker = this.#startWorker(fileName);
      try {
        return await this.#converse(worker, bytes[Symbol.asyncIterator]());
      } finally {
        await worker.terminate();
      }
    });
  }

  #startWorker(fileName: string): Worker {
    return new Worker(this.#options.entry, {
      workerData: { fileName },
      env: {},
      execArgv: ['--disable-warning=ExperimentalWarning'],
      resourceLimits: { maxOldGenerationSizeMb: this.#options.heapMb },
    });
  }

  /** Answers each pull with the next chunk until the worker says what it found. */
  async #converse(worker: Worker, chunks: AsyncIterator<Uint8Array>): Promise<Profile> {
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Profile>((resolve, reject) => {
        timer = setTimeout(() => reject(this.#tookTooLong()), this.#options.timeLimitMs);
        worker.on('message', (message) => {
          this.#answer(worker, chunks, message, resolve).catch(reject);
        });
        worker.on('error', (error) => reject(this.#workerFailure(error)));
        worker.on('exit', (code) =>
          reject(new Error(`the reader of uploads ended with code ${code} without an answer`)),
        );
      });
    } finally {
      clearTimeout(timer);
      await chunks.return?.();
    }
  }

  async #answer(
    worker: Worker,
    chunks: AsyncIterator<Uint8Array>,
    message: unknown,
    resolve: (profile: Profile) => void,
  ): Promise<void> {
    const said = fromWorkerSchema.parse(message);
    if (said.kind === 'profile') resolve(said.profile);
    else if (said.kind === 'refused') throw new ServiceError(said.code, said.message);
    else if (said.kind === 'failed') throw new Error(`an upload could not be read: ${said.fault}`);
    else await sendNext(worker, chunks);
  }

  #workerFailure(error: unknown): unknown {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')) return error;
    return new ServiceError(
      'parse_error',
      `The file needs more than ${this.#options.heapMb} MB of memory to be read. Save a spreadsheet as CSV, or upload fewer rows or columns.`,
    );
  }

  #tookTooLong(): ServiceError {
    return new ServiceError(
      'parse_error',
      `The file could not be read within ${this.#options.timeLimitMs / 1000} seconds. Save a spreadsheet as CSV, or upload fewer rows or columns.`,
    );
  }
}

async function sendNext(worker: Worker, chunks: AsyncIterator<Uint8Array>): Promise<void> {
  const next = await chunks.next();
  if (next.done) return worker.postMessage({ kind: 'end' } satisfies ToWorker);
  const bytes = wholeBuffer(next.value);
  worker.postMessage({ kind: 'chunk', bytes } satisfies ToWorker, [bytes.buffer]);
}

/** The chunk in a buffer of its own, which can be given away. */
function wholeBuffer(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = chunk;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === chunk.byteLength && !Buffer.isBuffer(chunk);
  return isWhole ? new Uint8Array(buffer) : new Uint8Array(chunk);
}
