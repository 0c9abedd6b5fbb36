import { Worker } from 'node:worker_threads';
import { compileCacheEnvironment } from './cacheFolder.ts';

/** Starting a thread costs more than most work. */
const IDLE_MS = 10_000;

interface WorkerPoolOptions {
  entry: URL;
  heapMb: number;
  kept: number;
}

export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #idle = new Map<Worker, NodeJS.Timeout>();

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** Keeps the worker if `isWorthKeeping` returns true; otherwise ends it. */
  async lend<T>(work: (worker: Worker) => Promise<T>, isWorthKeeping: () => boolean): Promise<T> {
    const worker = this.#take();
    try {
      const result = await work(worker);
      if (isWorthKeeping() && this.#idle.size < this.#options.kept) this.#keep(worker);
      else await this.#discard(worker);
      return result;
    } catch (error) {
      await this.#discard(worker);
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#idle.keys()].map((worker) => this.#discard(worker)));
  }

  #take(): Worker {
    const [idle] = this.#idle.keys();
    if (!idle) return this.#start();
    clearTimeout(this.#idle.get(idle));
    this.#idle.delete(idle);
    idle.ref();
    return idle;
  }

  #keep(worker: Worker): void {
    worker.unref();
    this.#idle.set(worker, setTimeout(() => void this.#discard(worker), IDLE_MS).unref());
  }

  async #discard(worker: Worker): Promise<void> {
    clearTimeout(this.#idle.get(worker));
    this.#idle.delete(worker);
    await worker.terminate();
  }

  #start(): Worker {
    const { entry, heapMb } = this.#options;
    const worker = new Worker(entry, {
      env: compileCacheEnvironment(),
      execArgv: ['--disable-warning=ExperimentalWarning'],
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    // Drops workers that end while idle; busy ones have their own listeners.
    worker.on('error', () => void this.#discard(worker));
    worker.on('exit', () => void this.#discard(worker));
    return worker;
  }
}

export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

export class Conversation {
  readonly #worker: Worker;
  readonly #signal: AbortSignal | undefined;
  readonly #messages: unknown[] = [];
  #failure: { error: unknown } | undefined;
  #wake: () => void = () => undefined;

  /** Fails with the signal's reason. */
  constructor(worker: Worker, signal?: AbortSignal) {
    this.#worker = worker;
    this.#signal = signal;
    worker.on('message', this.#onMessage).on('error', this.fail).on('exit', this.#onExit);
    signal?.addEventListener('abort', this.#onAbort);
    if (signal?.aborted) this.#onAbort();
  }

  say(message: unknown, transfer: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  /** Rejects if the worker ends. */
  async next(): Promise<unknown> {
    for (;;) {
      if (this.#failure) throw this.#failure.error;
      if (this.#messages.length > 0) return this.#messages.shift();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  readonly fail = (error: unknown): void => {
    this.#failure ??= { error };
    this.#wake();
  };

  close(): void {
    this.#worker.off('message', this.#onMessage).off('error', this.fail).off('exit', this.#onExit);
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }

  readonly #onMessage = (message: unknown): void => {
    this.#messages.push(message);
    this.#wake();
  };

  readonly #onAbort = (): void => this.fail(this.#signal?.reason);

  readonly #onExit = (code: number): void => this.fail(new Error(`a worker ended with ${code} without an answer`));
}

export function sendChunk(talk: Conversation, chunk: Uint8Array | undefined): void {
  if (chunk) {
    const bytes = wholeBuffer(chunk);
    talk.say({ kind: 'chunk', bytes }, [bytes.buffer]);
  } else talk.say({ kind: 'end' });
}

/** Copies shared buffers, so that the result can be transferred. */
export function wholeBuffer(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = chunk;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === chunk.byteLength && !Buffer.isBuffer(chunk);
  return isWhole ? new Uint8Array(buffer) : new Uint8Array(chunk);
}
